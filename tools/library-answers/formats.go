package main

import (
	"slices"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
)

type formatCases struct {
	Source  string       `json:"source"`
	Formats []string     `json:"formats"`
	Cases   []formatCase `json:"cases"`
}

type formatCase struct {
	Text string   `json:"text"`
	Fits []string `json:"fits"`
}

func fits(text, format string) bool {
	props := &apiextensions.JSONSchemaProps{Type: "string", Format: format}
	validator, _, err := validation.NewSchemaValidator(props)
	check(err)
	return len(validation.ValidateCustomResource(nil, text, validator)) == 0
}

func answerFormats(cases *formatCases) {
	for at, one := range cases.Cases {
		cases.Cases[at].Fits = slices.DeleteFunc(slices.Clone(cases.Formats), func(format string) bool {
			return !fits(one.Text, format)
		})
	}
}
