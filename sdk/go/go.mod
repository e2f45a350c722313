module vidimus

go 1.21
