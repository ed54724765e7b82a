package main

import (
	"context"
	"encoding/json"
	"regexp"
	"strings"

	v1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	preciseJSON "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/validation/field"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
)

type expressionCases struct {
	Source string           `json:"source"`
	Schema json.RawMessage  `json:"schema"`
	Self   json.RawMessage  `json:"self"`
	Cases  []expressionCase `json:"cases"`
}

// What an expression comes to: a truth value, why it fails, or why it is refused. True is in the place of a reason
// that is not compared.
type expressionCase struct {
	Rule    string `json:"rule"`
	Is      *bool  `json:"is,omitempty"`
	Fails   any    `json:"fails,omitempty"`
	Refused any    `json:"refused,omitempty"`
}

// The message of a rule that is not true.
const untrue = "RULE"

// The reason at the beginning of the error of a rule that fails.
var failure = regexp.MustCompile(`(?s)^(?:'(.*?)': call|(.*) evaluating rule: ` + untrue + `$)`)

func answerExpressions(cases *expressionCases) {
	for at, before := range cases.Cases {
		ruled := structural(cases.Schema)
		ruled.XValidations = v1.ValidationRules{{Rule: before.Rule, Message: untrue}}
		after := outcome(ruled, cases.Self)
		after.Rule = before.Rule
		if before.Fails == true && after.Fails != nil {
			after.Fails = true
		}
		if before.Refused == true && after.Refused != nil {
			after.Refused = true
		}
		cases.Cases[at] = after
	}
}

func outcome(ruled *schema.Structural, self []byte) expressionCase {
	compiled := compiledRule(ruled)
	if compiled.Error != nil {
		return expressionCase{Refused: strings.TrimPrefix(compiled.Error.Detail, "compilation failed: ")}
	}
	if compiled.MaxCost > validation.StaticEstimatedCostLimit {
		return expressionCase{Refused: "estimated rule cost exceeds budget"}
	}
	var value map[string]any
	check(preciseJSON.Unmarshal(self, &value))
	defaulting.PruneNonNullableNullsWithoutDefaults(value, ruled)
	problems, _ := cel.NewValidator(ruled, false, celconfig.PerCallLimit).
		Validate(context.Background(), field.NewPath("spec"), ruled, value, nil, celconfig.RuntimeCELCostBudget)
	if len(problems) > 0 && problems[0].Detail != untrue {
		reasons := failure.FindStringSubmatch(problems[0].Detail)
		return expressionCase{Fails: reasons[1] + reasons[2]}
	}
	is := len(problems) == 0
	return expressionCase{Is: &is}
}
