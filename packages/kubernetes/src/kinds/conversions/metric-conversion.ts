import type { JsonObject, JsonValue } from '@perigee/schema/json';
import { objectAt, textAt } from '@perigee/schema/json-fields';
import { signOfQuantity } from '@perigee/schema/values/quantity';
import { readQuantity } from '../quantities.ts';

type Convert = (value: JsonObject) => JsonObject;

/** The oldest version of an autoscaler has one text for all metrics it has no field for. */
interface Shape {
  readonly older: Convert;
  readonly newer: Convert;
}

const present = (object: { readonly [name: string]: JsonValue | undefined }): JsonObject =>
  Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined));

const metricOf = (name: JsonValue | undefined, selector: JsonValue | undefined): JsonObject =>
  present({ name, selector });

const isZero = (value: JsonValue | undefined): boolean => {
  const quantity = readQuantity(value);
  return quantity === undefined || signOfQuantity(quantity) === 0;
};

const resourceSource: Shape = {
  older: (source) => {
    const { averageUtilization, averageValue } = objectAt(source, 'target');
    return present({
      name: source.name,
      targetAverageUtilization: averageUtilization,
      targetAverageValue: averageValue,
      container: source.container,
    });
  },
  newer: ({ name, container, targetAverageUtilization: share, targetAverageValue: value }) =>
    present({
      name,
      target: present({
        type: share === undefined ? 'AverageValue' : 'Utilization',
        averageValue: value,
        averageUtilization: share,
      }),
      container,
    }),
};

const podsSource: Shape = {
  older: (source) =>
    present({
      metricName: objectAt(source, 'metric').name,
      targetAverageValue: objectAt(source, 'target').averageValue ?? '0',
      selector: objectAt(source, 'metric').selector,
    }),
  newer: ({ metricName, selector, targetAverageValue }) => ({
    metric: metricOf(metricName, selector),
    target: { type: 'AverageValue', averageValue: targetAverageValue ?? '0' },
  }),
};

const objectSource: Shape = {
  older: (source) =>
    present({
      target: source.describedObject,
      metricName: objectAt(source, 'metric').name,
      targetValue: objectAt(source, 'target').value ?? '0',
      selector: objectAt(source, 'metric').selector,
      averageValue: objectAt(source, 'target').averageValue,
    }),
  newer: ({ target, metricName, selector, targetValue, averageValue }) => ({
    describedObject: target ?? {},
    target: present(
      averageValue === undefined
        ? { type: 'Value', value: targetValue ?? '0' }
        : {
            type: 'AverageValue',
            // The old form cannot leave the value out.
            value: isZero(targetValue) ? undefined : targetValue,
            averageValue,
          },
    ),
    metric: metricOf(metricName, selector),
  }),
};

const externalSource: Shape = {
  older: (source) =>
    present({
      metricName: objectAt(source, 'metric').name,
      metricSelector: objectAt(source, 'metric').selector,
      targetValue: objectAt(source, 'target').value,
      targetAverageValue: objectAt(source, 'target').averageValue,
    }),
  newer: ({ metricName, metricSelector, targetValue: value, targetAverageValue }) => ({
    metric: metricOf(metricName, metricSelector),
    target: present({
      type: value === undefined ? 'AverageValue' : 'Value',
      value,
      averageValue: targetAverageValue,
    }),
  }),
};

const resourceStatus: Shape = {
  older: (status) => {
    const { averageUtilization, averageValue } = objectAt(status, 'current');
    return present({
      name: status.name,
      currentAverageUtilization: averageUtilization,
      currentAverageValue: averageValue ?? '0',
      container: status.container,
    });
  },
  newer: ({ name, container, currentAverageUtilization: share, currentAverageValue: value }) =>
    present({
      name,
      current: present({ averageValue: value ?? '0', averageUtilization: share }),
      container,
    }),
};

const podsStatus: Shape = {
  older: (status) =>
    present({
      metricName: objectAt(status, 'metric').name,
      currentAverageValue: objectAt(status, 'current').averageValue ?? '0',
      selector: objectAt(status, 'metric').selector,
    }),
  newer: ({ metricName, selector, currentAverageValue }) => ({
    metric: metricOf(metricName, selector),
    current: { averageValue: currentAverageValue ?? '0' },
  }),
};

const objectStatus: Shape = {
  older: (status) =>
    present({
      target: status.describedObject,
      metricName: objectAt(status, 'metric').name,
      currentValue: objectAt(status, 'current').value ?? '0',
      selector: objectAt(status, 'metric').selector,
      averageValue: objectAt(status, 'current').averageValue,
    }),
  newer: ({ target, metricName, selector, currentValue, averageValue }) => ({
    metric: metricOf(metricName, selector),
    current: present({ value: currentValue ?? '0', averageValue }),
    describedObject: target ?? {},
  }),
};

const externalStatus: Shape = {
  older: (status) =>
    present({
      metricName: objectAt(status, 'metric').name,
      metricSelector: objectAt(status, 'metric').selector,
      currentValue: objectAt(status, 'current').value ?? '0',
      currentAverageValue: objectAt(status, 'current').averageValue,
    }),
  newer: ({ metricName, metricSelector, currentValue: value, currentAverageValue }) => ({
    metric: metricOf(metricName, metricSelector),
    current: present({ value: value ?? '0', averageValue: currentAverageValue }),
  }),
};

const SOURCES: { readonly [field: string]: Shape } = {
  object: objectSource,
  pods: podsSource,
  resource: resourceSource,
  containerResource: resourceSource,
  external: externalSource,
};

const STATUSES: { readonly [field: string]: Shape } = {
  object: objectStatus,
  pods: podsStatus,
  resource: resourceStatus,
  containerResource: resourceStatus,
  external: externalStatus,
};

const convertMetric = (metric: JsonObject, shapes: typeof SOURCES, to: keyof Shape): JsonObject =>
  present({
    type: textAt(metric, 'type'),
    ...Object.fromEntries(
      Object.entries(shapes).flatMap(([field, shape]) =>
        metric[field] === undefined ? [] : [[field, shape[to](objectAt(metric, field))]],
      ),
    ),
  });

export const olderMetric: Convert = (metric) => convertMetric(metric, SOURCES, 'older');
export const newerMetric: Convert = (metric) => convertMetric(metric, SOURCES, 'newer');
export const olderMetricStatus: Convert = (status) => convertMetric(status, STATUSES, 'older');
export const newerMetricStatus: Convert = (status) => convertMetric(status, STATUSES, 'newer');
