import type { JsonObject } from '@perigee/schema/json';
import { ageOf } from './age.ts';
import { age, text, wide } from './column.ts';
import { isConditionTrue, listAt, textAt } from './fields.ts';
import { type PodSummary, summarisePod } from './pod-summary.ts';

/** Three columns need the summary of the same pod, one after the other. */
const summaries = new WeakMap<JsonObject, PodSummary>();
const summaryOf = (pod: JsonObject): PodSummary => {
  const summary = summaries.get(pod) ?? summarisePod(pod);
  summaries.set(pod, summary);
  return summary;
};

const readinessGates = (pod: JsonObject): string => {
  const gates = listAt(pod, 'spec', 'readinessGates');
  if (gates.length === 0) return '<none>';
  const open = gates.filter((gate) => isConditionTrue(pod, textAt(gate, 'conditionType')));
  return `${open.length}/${gates.length}`;
};

export const podColumns = [
  text('Ready', 'How many of its containers are ready, of how many.', (pod) => {
    const { ready, total } = summaryOf(pod);
    return `${ready}/${total}`;
  }),
  text('Status', 'The state of the pod in one word.', (pod) => summaryOf(pod).reason),
  text('Restarts', 'How often its containers were started again, and when last.', (pod, nowMs) => {
    const { restarts, lastRestart } = summaryOf(pod);
    return restarts === 0 || lastRestart === ''
      ? String(restarts)
      : `${restarts} (${ageOf(lastRestart, nowMs)} ago)`;
  }),
  age,
  wide('IP', 'The first address of the pod.', (pod) => {
    const [first] = listAt(pod, 'status', 'podIPs');
    return textAt(first, 'ip') || textAt(pod, 'status', 'podIP') || '<none>';
  }),
  wide(
    'Node',
    'The node that it is bound to.',
    (pod) => textAt(pod, 'spec', 'nodeName') || '<none>',
  ),
  wide(
    'Nominated Node',
    'The node on which others make room for it.',
    (pod) => textAt(pod, 'status', 'nominatedNodeName') || '<none>',
  ),
  wide('Readiness Gates', 'How many of its own conditions are true, of how many.', readinessGates),
];
