package main

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// A mutant is one small fault. Its position is the one in the code as written, so that runs can be compared.
type mutant struct {
	File         string
	Line, Column int
	Kind         string // such as "negate" or "delete"
	Code         string // the first characters of the code that it changes
	last         int    // line
	unusable     bool   // the compiler rejects it
}

func (m mutant) String() string {
	return fmt.Sprintf("%s:%d:%d %s: %s", m.File, m.Line, m.Column, m.Kind, m.Code)
}

// An edit replaces the bytes from start to end. Edits are in the order of the outermost expression first.
type edit struct {
	start, end int
	text       string
	closes     bool
	mutant     int
}

// A rewriter puts the mutants of one file behind switches.
type rewriter struct {
	info    *types.Info
	own     *types.Package
	file    *token.File
	source  []byte
	name    string
	clause  int               // end of the package clause
	imports map[string]string // path: local name
	results []*ast.FieldList  // of the functions around the node
	first   int               // number of the file's first mutant
	mutants []mutant
	edits   []edit
}

func newRewriter(p *program, f *ast.File, source []byte, name string, first int) *rewriter {
	r := &rewriter{info: p.info, own: p.types, file: p.set.File(f.Pos()), source: source, name: name,
		imports: map[string]string{}, first: first}
	for _, spec := range f.Imports {
		if local := p.info.PkgNameOf(spec); local != nil {
			r.imports[local.Imported().Path()] = local.Name()
		}
	}
	r.clause = r.file.Offset(f.Name.End())
	ast.Walk(visitor{r, nil}, f)
	return r
}

// text returns the file with all usable mutants. No edit adds a line.
func (r *rewriter) text(usable func(mutant int) bool) []byte {
	var starts, ends []edit
	for _, e := range r.edits {
		switch {
		case !usable(e.mutant):
		case e.closes:
			ends = append(ends, e)
		default:
			starts = append(starts, e)
		}
	}
	if len(starts) > 0 {
		starts = append(starts, edit{r.clause, r.clause, `; import mutant "digest/test/mutate/mutant"`, false, 0})
	}
	slices.Reverse(ends) // the innermost closes first
	all := append(ends, starts...)
	slices.SortStableFunc(all, func(a, b edit) int { return a.start - b.start })
	var out []byte
	at := 0
	for _, e := range all {
		out = append(append(out, r.source[at:e.start]...), e.text...)
		at = e.end
	}
	return append(out, r.source[at:]...)
}

// wrap adds a mutant around a node. Every %d in before is the mutant's number.
func (r *rewriter) wrap(n ast.Node, kind, before, after string) {
	start, end := r.file.Offset(n.Pos()), r.file.Offset(n.End())
	id := r.add(n, kind)
	r.edits = append(r.edits, edit{start, start, strings.ReplaceAll(before, "%d", fmt.Sprint(id)), false, id},
		edit{end, end, after, true, id})
}

func (r *rewriter) add(n ast.Node, kind string) int {
	at := r.file.Position(n.Pos())
	code := strings.Join(strings.Fields(string(r.source[r.file.Offset(n.Pos()):r.file.Offset(n.End())])), " ")
	r.mutants = append(r.mutants, mutant{File: r.name, Line: at.Line, Column: at.Column, Kind: kind,
		Code: code[:min(len(code), 60)], last: r.file.Line(n.End())})
	return r.first + len(r.mutants) - 1
}

// A visitor walks a file from the outside inwards.
type visitor struct {
	*rewriter
	parent ast.Node
}

// Visit implements ast.Visitor.
func (v visitor) Visit(n ast.Node) ast.Visitor {
	switch n := n.(type) {
	case nil:
		return nil
	case *ast.GenDecl:
		if n.Tok == token.CONST || n.Tok == token.IMPORT {
			return nil
		}
	case *ast.ArrayType:
		ast.Walk(visitor{v.rewriter, n}, n.Elt)
		return nil
	case *ast.FuncDecl:
		return v.function(n.Type, n.Body)
	case *ast.FuncLit:
		return v.function(n.Type, n.Body)
	case *ast.IfStmt:
		v.negate(n.Cond)
	case *ast.ForStmt:
		v.negate(n.Cond)
	case *ast.BlockStmt:
		v.statements(n.List)
	case *ast.CaseClause:
		v.statements(n.Body)
	case *ast.CommClause:
		v.statements(n.Body)
	case *ast.ReturnStmt:
		v.zero(n)
	case ast.Expr:
		if v.constant(n) {
			return nil
		}
		if b, ok := n.(*ast.BinaryExpr); ok {
			v.binary(b)
		}
	}
	return visitor{v.rewriter, n}
}

func (v visitor) function(f *ast.FuncType, body *ast.BlockStmt) ast.Visitor {
	if body != nil {
		v.results = append(v.results, f.Results)
		ast.Walk(visitor{v.rewriter, f}, body)
		v.results = v.results[:len(v.results)-1]
	}
	return nil
}

func (r *rewriter) negate(cond ast.Expr) {
	if cond != nil && r.info.Types[cond].Value == nil {
		r.wrap(cond, "negate", "mutant.Not(%d, ", ")")
	}
}

func (r *rewriter) binary(b *ast.BinaryExpr) {
	boundary := map[token.Token]string{token.LSS: "Less", token.LEQ: "AtMost", token.GTR: "More", token.GEQ: "AtLeast"}
	switch {
	case b.Op == token.LAND || b.Op == token.LOR:
		r.negate(b.X)
		r.negate(b.Y)
	case boundary[b.Op] != "":
		r.wrap(b, "boundary", "mutant."+boundary[b.Op]+"(%d, ", ")")
		op := r.file.Offset(b.OpPos)
		r.edits = append(r.edits, edit{op, op + len(b.Op.String()), ",", false, r.edits[len(r.edits)-1].mutant})
	}
}

// statements adds a mutant for each call and each assignment in a list.
func (r *rewriter) statements(list []ast.Stmt) {
	for _, s := range list {
		switch s := s.(type) {
		case *ast.ExprStmt:
			call, ok := s.X.(*ast.CallExpr)
			if !ok || types.ExprString(call.Fun) == "panic" {
				continue
			}
		case *ast.AssignStmt:
			if id, ok := s.Lhs[0].(*ast.Ident); s.Tok == token.DEFINE || ok && id.Name == "_" {
				continue
			}
		case *ast.IncDecStmt, *ast.DeferStmt:
		default:
			continue
		}
		r.wrap(s, "delete", "if mutant.Off(%d) { ", " }")
	}
}

// zero adds a mutant that returns zero values. A single boolean is negated instead.
func (r *rewriter) zero(s *ast.ReturnStmt) {
	results := r.results[len(r.results)-1]
	if results == nil {
		return
	}
	if len(s.Results) == 1 && results.NumFields() == 1 {
		if t, ok := r.info.TypeOf(s.Results[0]).Underlying().(*types.Basic); ok && t.Info()&types.IsBoolean != 0 {
			r.wrap(s.Results[0], "negate", "mutant.Not(%d, ", ")")
			return
		}
	}
	if len(s.Results) > 0 && !slices.ContainsFunc(s.Results, func(e ast.Expr) bool { return !r.isZero(e) }) {
		return
	}
	var zeros []string
	for _, f := range results.List {
		typ := string(r.source[r.file.Offset(f.Type.Pos()):r.file.Offset(f.Type.End())])
		for range max(1, len(f.Names)) {
			zeros = append(zeros, "*new("+strings.Join(strings.Fields(typ), " ")+")")
		}
	}
	r.wrap(s, "zero", "if mutant.On(%d) { return "+strings.Join(zeros, ", ")+" }; ", "")
}

func (r *rewriter) isZero(e ast.Expr) bool {
	if v := r.info.Types[e].Value; v != nil {
		return slices.Contains([]string{"0", `""`, "false"}, v.ExactString())
	}
	literal, ok := e.(*ast.CompositeLit)
	return r.info.Types[e].IsNil() || ok && len(literal.Elts) == 0
}

// constant adds mutants of a constant, and reports whether e is one. Lengths of arrays, indices of literals and
// capacities stay.
func (v visitor) constant(e ast.Expr) bool {
	tv := v.info.Types[e]
	if tv.Value == nil {
		return false
	}
	switch p := v.parent.(type) {
	case *ast.KeyValueExpr:
		if p.Key == e {
			return true
		}
	case *ast.CallExpr:
		if types.ExprString(p.Fun) == "make" && len(p.Args) == 3 && p.Args[2] == e {
			return true
		}
	}
	name, ok := v.typeName(tv.Type)
	basic, _ := tv.Type.Underlying().(*types.Basic)
	if !ok || basic == nil || basic.Info()&types.IsUntyped != 0 {
		return true
	}
	if basic.Info()&types.IsInteger != 0 {
		v.wrap(e, "constant", "mutant.Pick["+name+"](%d, ", ", "+other(tv.Value, name, basic.Kind())+")")
	}
	if tv.Value.Kind() == constant.String {
		for _, variant := range variants(constant.StringVal(tv.Value)) {
			v.wrap(e, variant.kind, "mutant.Pick["+name+"](%d, ", fmt.Sprintf(", %q)", variant.text))
		}
	}
	return true
}

// other returns n+1, n-1 for the highest number of a type of one byte, and twice a duration.
func other(n constant.Value, typ string, kind types.BasicKind) string {
	one := constant.MakeInt64(1)
	switch {
	case typ == "time.Duration" && constant.Sign(n) != 0:
		return constant.BinaryOp(n, token.ADD, n).ExactString()
	case typ == "time.Duration":
		return "1e9"
	case kind == types.Uint8 && n.ExactString() == "255" || kind == types.Int8 && n.ExactString() == "127":
		return constant.BinaryOp(n, token.SUB, one).ExactString()
	}
	return constant.BinaryOp(constant.ToInt(n), token.ADD, one).ExactString()
}

// typeName returns a type as the file can write it.
func (r *rewriter) typeName(t types.Type) (name string, ok bool) {
	ok = true
	name = types.TypeString(t, func(p *types.Package) string {
		local, known := r.imports[p.Path()]
		ok = ok && (p == r.own || known)
		if p == r.own {
			return ""
		}
		return local
	})
	return strings.TrimPrefix(name, "."), ok
}
