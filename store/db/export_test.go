package db

// TextArray formats texts as a PostgreSQL array.
func TextArray(texts ...string) string {
	var v Values
	for _, text := range texts {
		v.Row(text)
	}
	_, args := arrayRows(&v)
	return args[0].(string)
}
