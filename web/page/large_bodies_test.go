package page

import "testing"

// TestLongForms checks the limit for the memory of all long forms. Large forms leave room for
// smaller ones, small ones do not count, and all memory is released.
func TestLongForms(t *testing.T) {
	var all longForms
	fill := func(bytes int) (f *longForm, err error) {
		f = all.begin()
		for ; bytes > 0 && err == nil; bytes -= 4096 {
			err = f.grow(min(bytes, 4096))
		}
		return f, err
	}
	var forms []*longForm
	add := func(bytes int, want error) {
		t.Helper()
		f, err := fill(bytes)
		forms = append(forms, f)
		if err != want {
			t.Errorf("one of %d bytes, with %d used: %v, want %v", bytes, all.used, err, want)
		}
		if all.used > mostLong {
			t.Errorf("%d bytes are used", all.used)
		}
	}
	add(MaxList, nil)
	add(MaxList, nil)
	add(MaxList, errBusy) // it keeps its bytes until end
	forms[2].end()
	for range 12 {
		add(largeLong, nil)
	}
	add(largeLong, errBusy)
	add(freeLong, nil)
	if f := (*longForm)(nil); f.grow(1<<40) != nil {
		t.Error("a short one is bounded too")
	}
	for _, f := range forms {
		f.end()
	}
	if all.used != 0 {
		t.Errorf("%d bytes do not come back", all.used)
	}
}
