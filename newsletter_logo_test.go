package digest

import "testing"

func TestLogo(t *testing.T) {
	for _, c := range []struct {
		w, h          int
		shownW, shown int
		name          bool
	}{
		{720, 180, 360, 90, true}, {720, 192, 360, 96, true}, {200, 50, 200, 50, true}, {192, 192, 96, 96, false},
		{40, 40, 40, 40, false},
		{64, 192, 32, 96, false}, {720, 72, 360, 36, true}, {100, 50, 100, 50, true}, {99, 50, 99, 50, false},
		{300, 192, 150, 96, false},
	} {
		l := Logo{LogoFile: "logo-x.png", LogoWidth: c.w, LogoHeight: c.h}
		if w, h := l.Shown(); w != c.shownW || h != c.shown || l.HasName() != c.name || !l.Exists() {
			t.Errorf("%d by %d is shown as %d by %d, the name is in it: %v", c.w, c.h, w, h, l.HasName())
		}
	}
	if (Logo{}).Exists() {
		t.Error("none exists")
	}
}
