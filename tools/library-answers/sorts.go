package main

import "sort"

// Values, one character each, and the order of their places after `sort.Sort`, which is not stable.
type sortCase struct {
	Values string `json:"values"`
	Order  []int  `json:"order"`
}

type byValue struct {
	values string
	order  []int
}

func (s byValue) Len() int           { return len(s.order) }
func (s byValue) Swap(i, j int)      { s.order[i], s.order[j] = s.order[j], s.order[i] }
func (s byValue) Less(i, j int) bool { return s.values[s.order[i]] > s.values[s.order[j]] }

func answerSorts(cases *[]sortCase) {
	for at, one := range *cases {
		order := make([]int, len(one.Values))
		for place := range order {
			order[place] = place
		}
		sort.Sort(byValue{one.Values, order})
		(*cases)[at].Order = order
	}
}
