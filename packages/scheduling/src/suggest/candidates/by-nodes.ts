import { nearNames } from '@perigee/api/values/near-names';
import { isJsonObject, type JsonObject } from '@perigee/schema/json';
import { objectIn } from '../../interpreter/fields.ts';
import type { Template } from '../../placement/binding/desired-binding.ts';
import type { PlanState } from '../../plan/plan-state.ts';
import type { StuckWork } from '../stuck-work.ts';
import type { Candidate } from '../suggestion.ts';
import { workChange } from './work-change.ts';

/** Limit of clusters whose nodes are searched for label values. */
const MOST_CLUSTERS = 50;

const selectorOf = (template: Template): JsonObject =>
  isJsonObject(template.spec) ? objectIn(template.spec, 'template', 'spec', 'nodeSelector') : {};

/** The values that a label has on nodes. */
const valuesOf = ({ room }: PlanState, key: string): readonly string[] => {
  const groups = room.all.slice(0, MOST_CLUSTERS).flatMap(({ space }) => space?.free.groups ?? []);
  return [...new Set(groups.flatMap(({ features }) => features?.labels[key] ?? []))];
};

const nodeSelector = (
  template: Template,
  key: string,
  value: string | null,
  words: string,
  cost: number,
) =>
  workChange(
    template,
    { spec: { template: { spec: { nodeSelector: { [key]: value } } } } },
    { reason: 'FixNodeSelector', text: words, cost },
  );

/** Candidates that change the pods' node selector. */
export const byNodes = ({ state, template }: StuckWork): readonly Candidate[] => {
  if (template === undefined) return [];
  return Object.entries(selectorOf(template)).flatMap(([key, value]): readonly Candidate[] => {
    if (typeof value !== 'string') return [];
    const values = valuesOf(state, key);
    const [near] = values.includes(value) ? [] : nearNames(value, values);
    const dropText = `do not ask for nodes with ${key}=${value} (nodeSelector), if the pods can do without`;
    const correctionText = `ask for nodes with ${key}=${near} instead of ${key}=${value}, which no node has (nodeSelector)`;
    return [
      ...(near === undefined ? [] : [nodeSelector(template, key, near, correctionText, 1)]),
      nodeSelector(template, key, null, dropText, 3),
    ];
  });
};
