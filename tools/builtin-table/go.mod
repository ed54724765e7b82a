module perigee.dev/tools/builtin-table

go 1.24
