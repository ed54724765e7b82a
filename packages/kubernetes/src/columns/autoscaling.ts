import type { JsonObject } from '@perigee/schema/json';
import { age, text } from './column.ts';
import { at, countAt, firstFew, listAt, textAt } from './fields.ts';
import { quantityText } from './quantity-cell.ts';

const MOST_METRICS = 2;

/** The field with the numbers of each type of metric. */
const SOURCES: { readonly [type: string]: string } = {
  External: 'external',
  Pods: 'pods',
  Object: 'object',
  Resource: 'resource',
  ContainerResource: 'containerResource',
};

const quantityOr = (value: ReturnType<typeof at>, otherwise: string): string =>
  value === undefined ? otherwise : quantityText(value);

const percent = (value: ReturnType<typeof at>, otherwise: string): string =>
  typeof value === 'number' ? `${value}%` : otherwise;

const metricText = (metric: JsonObject, status: JsonObject | undefined): string => {
  const type = textAt(metric, 'type');
  const source = SOURCES[type];
  if (source === undefined) return '<unknown type>';
  const target = at(metric, source, 'target');
  const current = at(status, source, 'current');
  const average = at(target, 'averageValue');
  if (type === 'Resource' || type === 'ContainerResource') {
    const name = textAt(metric, source, 'name');
    return average === undefined
      ? `${name}: ${percent(at(current, 'averageUtilization'), '<unknown>')}/${percent(at(target, 'averageUtilization'), '<auto>')}`
      : `${name}: ${quantityOr(at(current, 'averageValue'), '<unknown>')}/${quantityText(average)}`;
  }
  if (average === undefined) {
    return `${quantityOr(at(current, 'value'), '<unknown>')}/${quantityText(at(target, 'value'))}`;
  }
  const suffix = type === 'Pods' ? '' : ' (avg)';
  return `${quantityOr(at(current, 'averageValue'), '<unknown>')}/${quantityText(average)}${suffix}`;
};

const targets = (object: JsonObject): string => {
  const statuses = listAt(object, 'status', 'currentMetrics');
  const metrics = listAt(object, 'spec', 'metrics').map((metric, index) =>
    metricText(metric, statuses[index]),
  );
  return firstFew(metrics, MOST_METRICS, metrics.length, ', ') || '<none>';
};

export const horizontalPodAutoscalerColumns = [
  text(
    'Reference',
    'What it scales.',
    (object) =>
      `${textAt(object, 'spec', 'scaleTargetRef', 'kind')}/${textAt(object, 'spec', 'scaleTargetRef', 'name')}`,
  ),
  text('Targets', 'What is measured, of what it should be.', targets),
  text(
    'MinPods',
    'The least number of pods.',
    (object) => textAt(object, 'spec', 'minReplicas') || '<unset>',
  ),
  text('MaxPods', 'The greatest number of pods.', (object) =>
    countAt(object, 'spec', 'maxReplicas'),
  ),
  text('Replicas', 'The present number of pods.', (object) =>
    countAt(object, 'status', 'currentReplicas'),
  ),
  age,
];
