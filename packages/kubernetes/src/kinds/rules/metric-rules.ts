import {
  type FieldError,
  forbidden,
  invalid,
  notSupported,
  required,
} from '@perigee/schema/errors';
import type { JsonObject } from '@perigee/schema/json';
import { numberAt, objectAt, objectsAt, textAt } from '@perigee/schema/json-fields';

type Errors = readonly FieldError[];

/** The field in which a metric of each type names its source. */
const SOURCES: { readonly [type: string]: string } = {
  ContainerResource: 'containerResource',
  External: 'external',
  Object: 'object',
  Pods: 'pods',
  Resource: 'resource',
};

/** A metric has the source of its type, and no other. */
const checkSource = (metric: JsonObject, path: string): Errors => {
  const type = textAt(metric, 'type');
  const sourceField = SOURCES[type];
  if (sourceField === undefined) {
    const typeErrors =
      type === '' ? [required(`${path}.type`, 'must specify a metric source type')] : [];
    return [...typeErrors, notSupported(`${path}.type`, type, Object.keys(SOURCES))];
  }
  const present = Object.values(SOURCES).filter((source) => metric[source] !== undefined);
  const others = present.filter((source) => source !== sourceField);
  return [
    ...(present.includes(sourceField)
      ? []
      : [
          required(
            `${path}.${sourceField}`,
            'must populate information for the given metric source',
          ),
        ]),
    ...(present.length === 1 ? [] : others).map((source) =>
      forbidden(`${path}.${source}`, 'must populate the given metric source only'),
    ),
  ];
};

const checkTargets = (metric: JsonObject, path: string): Errors =>
  Object.keys(metric).flatMap((source) => {
    const share = numberAt(objectAt(metric, source, 'target'), 'averageUtilization');
    return share !== undefined && share < 1
      ? [invalid(`${path}.${source}.target.averageUtilization`, share, 'must be greater than 0')]
      : [];
  });

/** Rules of the metrics of an autoscaler. */
export const checkMetrics = (spec: JsonObject): Errors =>
  objectsAt(spec, 'metrics').flatMap((metric, index) => {
    const path = `spec.metrics[${index}]`;
    return [...checkTargets(metric, path), ...checkSource(metric, path)];
  });
