package main

import (
	"encoding/json"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

type quantityCases struct {
	Parse []row `json:"parse"`
	Pairs []row `json:"pairs"`
}

func answerQuantities(cases *quantityCases) {
	for at, one := range cases.Parse {
		quantity, err := resource.ParseQuantity(read[string](one, 0))
		if err != nil {
			cases.Parse[at] = row{one[0], err.Error()}
			continue
		}
		// A quantity that was read shows the text that it was read from.
		number, suffix := quantity.CanonicalizeBytes(nil)
		canonical := string(number) + string(suffix)
		answer := row{one[0], canonical, quantity.Format, quantity.Value(), quantity.MilliValue()}
		// Null stays null: the number is beyond what both sides count exactly, or Go rounds it the wrong way.
		for place := 3; place < len(one); place++ {
			if string(one[place].(json.RawMessage)) == "null" {
				answer[place] = nil
			}
		}
		cases.Parse[at] = answer
	}
	for at, one := range cases.Pairs {
		a, b := resource.MustParse(read[string](one, 0)), resource.MustParse(read[string](one, 1))
		sum, difference, product := a.DeepCopy(), a.DeepCopy(), a.DeepCopy()
		sum.Add(b)
		difference.Sub(b)
		product.Mul(read[int64](one, 5))
		cases.Pairs[at] = row{one[0], one[1], sum.String(), difference.String(), a.Cmp(b), one[5], product.String()}
	}
}

type timeCases struct {
	Times     []row `json:"times"`
	Durations []row `json:"durations"`
}

func answerTimes(cases *timeCases) {
	for at, one := range cases.Times {
		var parsed metav1.Time
		if err := json.Unmarshal(one[0].(json.RawMessage), &parsed); err != nil {
			cases.Times[at] = row{one[0]}
			continue
		}
		cases.Times[at] = row{one[0], parsed, metav1.NewMicroTime(parsed.Time)}
	}
	for at, one := range cases.Durations {
		duration, err := time.ParseDuration(read[string](one, 0))
		if err != nil {
			cases.Durations[at] = row{one[0], refusal(err)}
			continue
		}
		cases.Durations[at] = row{one[0], duration.Nanoseconds(), duration.String()}
	}
}
