package main

import (
	"encoding/json"
	"fmt"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	v1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel/model"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	"k8s.io/apiserver/pkg/cel/environment"
)

// More than this is more than any limit, and no longer counted exactly.
const beyond = 1 << 60

type costCases struct {
	Source  string            `json:"source"`
	Schemas []json.RawMessage `json:"schemas"`
	Costs   []row             `json:"costs"`
}

func structural(text []byte) *schema.Structural {
	var external v1.JSONSchemaProps
	check(json.Unmarshal(text, &external))
	var internal apiextensions.JSONSchemaProps
	check(v1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(&external, &internal, nil))
	structural, err := schema.NewStructural(&internal)
	check(err)
	return structural
}

var environments = environment.MustBaseEnvSet(environment.DefaultCompatibilityVersion())

// The only rule of a schema, as a new one.
func compiledRule(ruled *schema.Structural) cel.CompilationResult {
	results, err := cel.Compile(
		ruled,
		model.SchemaDeclType(ruled, false),
		celconfig.PerCallLimit,
		environments,
		cel.NewExpressionsEnvLoader(),
	)
	check(err)
	return results[0]
}

func answerRuleCosts(cases *costCases) {
	for at, one := range cases.Costs {
		ruled := structural(cases.Schemas[read[int](one, 0)])
		ruled.XValidations = v1.ValidationRules{{Rule: read[string](one, 1)}}
		result := compiledRule(ruled)
		if result.Error != nil {
			panic(fmt.Sprintf("%s: %v", one[1], result.Error))
		}
		var cost any = result.MaxCost
		if result.MaxCost > beyond {
			cost = "unbounded"
		}
		cases.Costs[at] = row{one[0], one[1], cost, result.MaxCardinality}
	}
}
