package main

import (
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
)

type selectorCases struct {
	LabelSets []labels.Set `json:"labelSets"`
	Labels    []row        `json:"labels"`
	Specs     []row        `json:"specs"`
	FieldSets []fields.Set `json:"fieldSets"`
	Fields    []row        `json:"fields"`
}

// What selectors of labels and of fields have in common.
type selector[S any] interface {
	String() string
	Matches(of S) bool
}

// The text of the selector, and a 1 for each set that it matches.
func described[Of any, Set any, S selector[Of]](input any, parsed S, err error, sets []Set, as func(Set) Of) row {
	if err != nil {
		return row{input, refusal(err)}
	}
	var matches strings.Builder
	for _, set := range sets {
		if parsed.Matches(as(set)) {
			matches.WriteByte('1')
		} else {
			matches.WriteByte('0')
		}
	}
	return row{input, parsed.String(), matches.String()}
}

func answerSelectors(cases *selectorCases) {
	asLabels := func(set labels.Set) labels.Labels { return set }
	asFields := func(set fields.Set) fields.Fields { return set }
	for at, one := range cases.Labels {
		parsed, err := labels.Parse(read[string](one, 0))
		cases.Labels[at] = described(one[0], parsed, err, cases.LabelSets, asLabels)
	}
	for at, one := range cases.Specs {
		spec := read[metav1.LabelSelector](one, 0)
		parsed, err := metav1.LabelSelectorAsSelector(&spec)
		cases.Specs[at] = described(one[0], parsed, err, cases.LabelSets, asLabels)
	}
	for at, one := range cases.Fields {
		parsed, err := fields.ParseSelector(read[string](one, 0))
		cases.Fields[at] = described(one[0], parsed, err, cases.FieldSets, asFields)
	}
}
