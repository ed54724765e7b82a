package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// source is what one Go package declares.
type source struct {
	name      string
	types     map[string]*declaredType
	constants map[string]string
	// typed holds the string constants of each named type, in the order of the sources.
	typed map[string][]constant
}

// constant is a value, or the constant of another package that has it.
type constant struct {
	value       string
	path, named string
}

type declaredType struct {
	expr    ast.Expr
	markers markers
	// imports are those of the file of the declaration: package name to path.
	imports map[string]string
}

func readSource(name, directory string) (*source, error) {
	read := &source{
		name: name, types: map[string]*declaredType{},
		constants: map[string]string{}, typed: map[string][]constant{},
	}
	entries, err := os.ReadDir(directory)
	if err != nil {
		return nil, err
	}
	for _, entry := range entries {
		file := entry.Name()
		if !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") || strings.Contains(file, "generated") {
			continue
		}
		set := token.NewFileSet()
		parsed, err := parser.ParseFile(set, filepath.Join(directory, file), nil, parser.ParseComments)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", directory, err)
		}
		read.addFile(parsed, set)
	}
	return read, nil
}

func (s *source) addFile(file *ast.File, set *token.FileSet) {
	imports := map[string]string{}
	for _, spec := range file.Imports {
		path, _ := strconv.Unquote(spec.Path.Value)
		local := path[strings.LastIndex(path, "/")+1:]
		if spec.Name != nil {
			local = spec.Name.Name
		}
		imports[local] = path
	}
	for _, decl := range file.Decls {
		declaration, isGeneral := decl.(*ast.GenDecl)
		if !isGeneral {
			continue
		}
		for _, spec := range declaration.Specs {
			switch spec := spec.(type) {
			case *ast.TypeSpec:
				doc := spec.Doc
				if doc == nil {
					doc = declaration.Doc
				}
				s.types[spec.Name.Name] = &declaredType{
					expr: spec.Type, imports: imports,
					markers: markersOf(commentAbove(file, set, doc), doc),
				}
			case *ast.ValueSpec:
				s.addConstants(declaration, spec, imports)
			}
		}
	}
}

// commentAbove is the comment that one blank line sets off from the doc comment: markers stand there too.
func commentAbove(file *ast.File, set *token.FileSet, doc *ast.CommentGroup) *ast.CommentGroup {
	if doc == nil {
		return nil
	}
	line := set.Position(doc.Pos()).Line
	for _, group := range file.Comments {
		if set.Position(group.End()).Line == line-2 {
			return group
		}
	}
	return nil
}

func (s *source) addConstants(declaration *ast.GenDecl, spec *ast.ValueSpec, imports map[string]string) {
	if declaration.Tok != token.CONST {
		return
	}
	for i, name := range spec.Names {
		if i >= len(spec.Values) {
			continue
		}
		expr, typed := spec.Values[i], spec.Type
		if conversion, isCall := expr.(*ast.CallExpr); isCall && len(conversion.Args) == 1 {
			expr, typed = conversion.Args[0], conversion.Fun
		}
		var found constant
		switch expr := expr.(type) {
		case *ast.BasicLit:
			if expr.Kind != token.STRING {
				continue
			}
			found.value, _ = strconv.Unquote(expr.Value)
			s.constants[name.Name] = found.value
		case *ast.SelectorExpr:
			found.path, found.named = imports[expr.X.(*ast.Ident).Name], expr.Sel.Name
		default:
			continue
		}
		if named, isIdent := typed.(*ast.Ident); isIdent {
			s.typed[named.Name] = append(s.typed[named.Name], found)
		}
	}
}
