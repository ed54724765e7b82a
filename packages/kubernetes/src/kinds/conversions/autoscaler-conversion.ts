import { isJsonObject, type JsonObject, type JsonValue } from '@perigee/schema/json';
import { mapAt, numberAt, objectAt, objectsAt, withField } from '@perigee/schema/json-fields';
import { present } from '@perigee/schema/present';
import type { Conversion } from '../../resource/resource-description.ts';
import { goForm } from '../../types/go-form.ts';
import { newerBehaviour, olderBehaviour } from './behaviour-conversion.ts';
import {
  newerMetric,
  newerMetricStatus,
  olderMetric,
  olderMetricStatus,
} from './metric-conversion.ts';

const PREFIX = 'autoscaling.alpha.kubernetes.io';
const METRICS = `${PREFIX}/metrics`;
const CURRENT_METRICS = `${PREFIX}/current-metrics`;
const CONDITIONS = `${PREFIX}/conditions`;
const BEHAVIOUR = `${PREFIX}/behavior`;

/** Fields of the new version that the old one keeps in annotations. */
const KEPT_IN_ANNOTATIONS = [
  METRICS,
  CURRENT_METRICS,
  CONDITIONS,
  BEHAVIOUR,
  `${PREFIX}/scale-down-tolerance`,
  `${PREFIX}/scale-up-tolerance`,
];

const DEFAULT_CPU_SHARE = 80;

const cpuMetric = (averageUtilization: number): JsonObject => ({
  type: 'Resource',
  resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization } },
});

/** Target or current use of the CPU in percent, for the one metric that the old version has a field for. */
const cpuShareOf = (metric: JsonObject, part: 'target' | 'current'): number | undefined => {
  const resource = objectAt(metric, 'resource');
  return metric.type === 'Resource' && resource.name === 'cpu'
    ? numberAt(objectAt(resource, part), 'averageUtilization')
    : undefined;
};

const ownAnnotations = (object: JsonObject): { readonly [key: string]: string } =>
  Object.fromEntries(
    Object.entries(mapAt(object, 'metadata', 'annotations')).filter(
      ([key]) => !KEPT_IN_ANNOTATIONS.includes(key),
    ),
  );

const withAnnotations = (object: JsonObject, annotations: JsonObject): JsonObject => ({
  ...object,
  metadata: withField(
    objectAt(object, 'metadata'),
    'annotations',
    Object.keys(annotations).length === 0 ? undefined : annotations,
  ),
});

/** Parsed content of an annotation; undefined if it cannot be parsed. */
const parseAnnotation = (text: string | undefined): JsonValue | undefined => {
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
};

const parsedList = (text: string | undefined): readonly JsonObject[] | undefined => {
  const value = parseAnnotation(text);
  return Array.isArray(value) && value.every(isJsonObject) ? value : undefined;
};

const toStored = (object: JsonObject): JsonObject => {
  const annotations = mapAt(object, 'metadata', 'annotations');
  const { targetCPUUtilizationPercentage: share, ...spec } = objectAt(object, 'spec');
  const { currentCPUUtilizationPercentage: current, ...status } = objectAt(object, 'status');
  const metrics = [
    ...(parsedList(annotations[METRICS]) ?? []).map(newerMetric),
    ...(typeof share === 'number' ? [cpuMetric(share)] : []),
  ];
  const behaviour = newerBehaviour(parseAnnotation(annotations[BEHAVIOUR]));
  const currentMetrics =
    parsedList(annotations[CURRENT_METRICS])?.map(newerMetricStatus) ??
    (typeof current === 'number'
      ? [{ type: 'Resource', resource: { name: 'cpu', current: { averageUtilization: current } } }]
      : undefined);
  const conditions = parsedList(annotations[CONDITIONS]);
  const storedForm: JsonObject = {
    ...withAnnotations(object, ownAnnotations(object)),
    apiVersion: 'autoscaling/v2',
    spec: {
      ...spec,
      metrics: metrics.length === 0 ? [cpuMetric(DEFAULT_CPU_SHARE)] : metrics,
      ...present({ behavior: behaviour }),
    },
    ...(object.status === undefined ? {} : { status: { ...status, currentMetrics, conditions } }),
  };
  return goForm('autoscaling.v2.HorizontalPodAutoscaler')(storedForm);
};

const fromStored = (stored: JsonObject): JsonObject => {
  const { metrics, behavior, ...spec } = objectAt(stored, 'spec');
  const { currentMetrics, conditions, ...status } = objectAt(stored, 'status');
  const targetMetrics = objectsAt(objectAt(stored, 'spec'), 'metrics');
  const metricStatuses = objectsAt(objectAt(stored, 'status'), 'currentMetrics');
  const others = targetMetrics.filter((metric) => cpuShareOf(metric, 'target') === undefined);
  const listText = (value: JsonValue | undefined) =>
    Array.isArray(value) && value.length > 0 ? JSON.stringify(value) : undefined;
  const annotations = {
    ...ownAnnotations(stored),
    ...present({
      [BEHAVIOUR]: isJsonObject(behavior) ? JSON.stringify(olderBehaviour(behavior)) : undefined,
      [CONDITIONS]: listText(conditions),
      [CURRENT_METRICS]: listText(metricStatuses.map(olderMetricStatus)),
      [METRICS]: listText(others.map(olderMetric)),
    }),
  };
  const share = targetMetrics.map((metric) => cpuShareOf(metric, 'target')).find(isNumber);
  const current = metricStatuses.map((metric) => cpuShareOf(metric, 'current')).findLast(isNumber);
  const object: JsonObject = {
    ...withAnnotations(stored, annotations),
    apiVersion: 'autoscaling/v1',
    spec: { ...spec, ...present({ targetCPUUtilizationPercentage: share }) },
    ...(stored.status === undefined
      ? {}
      : {
          status: {
            ...status,
            ...present({ currentCPUUtilizationPercentage: current }),
          },
        }),
  };
  return goForm('autoscaling.v1.HorizontalPodAutoscaler')(object);
};

const isNumber = (value: number | undefined): value is number => value !== undefined;

/** Autoscalers are stored in version 2; version 1 shows in annotations what it has no fields for. */
export const autoscalerConversion: Conversion = { toStored, fromStored };
