package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
)

// draw draws the cost of one reader's day in instances of several sizes from their reports. Costs in proportion to
// the number of readers have equal bars.
func draw(paths []string) error {
	if len(paths) == 0 {
		return errors.New("name the reports of days")
	}
	var reports []report
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		var r report
		if err := json.Unmarshal(text, &r); err != nil {
			return fmt.Errorf("reading %s: %w", path, err)
		}
		reports = append(reports, r)
	}
	_, err := io.WriteString(os.Stdout, picture(reports))
	return err
}

// A panel is a row of bars, one for each size. A bar consists of stacked parts.
type panel struct {
	name  string
	parts []string // names in the legend
	of    func(report) []float64
}

func panels() []panel {
	each := func(of func(report, midnight) []float64) func(report) []float64 {
		return func(r report) []float64 {
			all := r.total()
			parts := of(r, all)
			for i := range parts {
				parts[i] /= float64(max(1, all.Editions))
			}
			return parts
		}
	}
	return []panel{
		{"processor time, ms", []string{"program", "PostgreSQL"},
			each(func(_ report, m midnight) []float64 { return []float64{m.ProgramCPU * 1000, m.ServerCPU * 1000} })},
		{"polls", []string{"polls"},
			each(func(_ report, m midnight) []float64 { return []float64{float64(m.Polled)} })},
		{"WAL, KB", []string{"WAL"}, each(func(_ report, m midnight) []float64 { return []float64{m.WAL * 1024} })},
		{"growth of the database, KB", []string{"hidden posts", "editions", "all else"},
			each(func(r report, _ midnight) []float64 {
				parts := []float64{float64(r.Growth["digest_posts"]) / 1024, float64(r.Growth["editions"]) / 1024, 0}
				for table, bytes := range r.Growth {
					if table != "digest_posts" && table != "editions" {
						parts[2] += float64(bytes) / 1024
					}
				}
				return parts
			})},
	}
}

// Sizes in pixels.
const (
	panelWidth, panelHeight = 200, 150
	barTop, barBase         = 40, 190
	legendTop               = 230
	wide, tall              = 4 * (panelWidth + 20), 300
)

// colours returns the colours of a bar's parts, readable on white and on black.
func colours() []string { return []string{"#4477aa", "#cc8844", "#888888"} }

func picture(reports []report) string {
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" role="img" font-family="sans-serif" font-size="12" fill="#888888">`, wide, tall)
	fmt.Fprint(&b, `<title>What one reader's day costs in instances of several sizes</title>`)
	for i, p := range panels() {
		fmt.Fprintf(&b, `<g transform="translate(%d 0)">`, i*(panelWidth+20)+10)
		p.draw(&b, reports)
		fmt.Fprint(&b, `</g>`)
	}
	return b.String() + "</svg>\n"
}

func (p panel) draw(b *strings.Builder, reports []report) {
	most := 0.0
	for _, r := range reports {
		most = max(most, sum(p.of(r)))
	}
	fmt.Fprintf(b, `<text y="18" font-weight="bold">%s</text><path stroke="#888888" d="M0 %d.5H%d"/>`, p.name, barBase,
		panelWidth)
	step := float64(panelWidth) / float64(len(reports))
	for i, r := range reports {
		x, y := float64(i)*step, float64(barBase)
		for k, part := range p.of(r) {
			height := part / max(most, 1e-9) * (panelHeight - 14)
			y -= height
			fmt.Fprintf(b, `<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" fill="%s"/>`, x+step*0.15, y, step*0.7,
				height, colours()[k])
		}
		fmt.Fprintf(b, `<text x="%.1f" y="%.1f" text-anchor="middle">%.3g</text>`, x+step/2, y-4, sum(p.of(r)))
		fmt.Fprintf(b, `<text x="%.1f" y="%d" text-anchor="middle">%s</text>`, x+step/2, barBase+16, people(r.Readers))
	}
	for k, name := range p.parts {
		if len(p.parts) > 1 {
			fmt.Fprintf(b, `<rect y="%d" width="10" height="10" fill="%s"/><text x="16" y="%d">%s</text>`,
				legendTop+k*18, colours()[k], legendTop+k*18+9, name)
		}
	}
}

func sum(parts []float64) (all float64) {
	for _, part := range parts {
		all += part
	}
	return all
}

func people(n int) string {
	if n < 1000 {
		return fmt.Sprint(n)
	}
	return people(n/1000) + fmt.Sprintf(",%03d", n%1000)
}
