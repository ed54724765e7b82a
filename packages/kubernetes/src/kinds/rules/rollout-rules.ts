import {
  type FieldError,
  forbidden,
  invalid,
  invalidWithoutValue,
  required,
} from '@perigee/schema/errors';
import { goStruct } from '@perigee/schema/go-text';
import type { JsonObject, JsonValue } from '@perigee/schema/json';
import { numberAt, objectAt, textAt } from '@perigee/schema/json-fields';

type Errors = readonly FieldError[];

const PERCENT = /^[0-9]+%$/;

/** A count, or a part of the whole in percent. */
const checkBound = (value: JsonValue | undefined, field: string): Errors => {
  if (typeof value === 'number') {
    return value < 0 ? [invalid(field, value, 'must be greater than or equal to 0')] : [];
  }
  return typeof value !== 'string' || PERCENT.test(value)
    ? []
    : [
        invalid(
          field,
          value,
          "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')",
        ),
      ];
};

const checkAtMostAll = (value: JsonValue | undefined, field: string): Errors =>
  typeof value === 'string' && PERCENT.test(value) && Number.parseInt(value, 10) > 100
    ? [invalid(field, value, 'must not be greater than 100%')]
    : [];

export const checkShare = (object: JsonObject, path: string, name: string): Errors => [
  ...checkBound(object[name], `${path}.${name}`),
  ...checkAtMostAll(object[name], `${path}.${name}`),
];

/** An unknown strategy of a rollout, shown as Go prints its struct. */
const shownStrategy = (strategy: JsonObject): string =>
  goStruct({
    Type: textAt(strategy, 'type'),
    RollingUpdate: strategy.rollingUpdate ?? null,
  });

const oddStrategy = (
  field: string,
  strategy: JsonObject,
  supported: readonly string[],
): FieldError => ({
  reason: 'FieldValueNotSupported',
  field,
  message: `Unsupported value: ${shownStrategy(strategy)}: supported values: ${supported.map((name) => `"${name}"`).join(', ')}`,
});

const isZero = (value: JsonValue | undefined): boolean =>
  value === 0 || (typeof value === 'string' && Number.parseInt(value, 10) === 0);

export const checkDeploymentRollout = (spec: JsonObject): Errors => {
  const strategy = objectAt(spec, 'strategy');
  const path = 'spec.strategy.rollingUpdate';
  if (strategy.type === 'Recreate') {
    return strategy.rollingUpdate === undefined
      ? []
      : [forbidden(path, "may not be specified when strategy `type` is 'Recreate'")];
  }
  if (strategy.type !== 'RollingUpdate') {
    return [oddStrategy('spec.strategy', strategy, ['Recreate', 'RollingUpdate'])];
  }
  const rolling = objectAt(strategy, 'rollingUpdate');
  const { maxUnavailable, maxSurge } = rolling;
  return [
    ...checkShare(rolling, path, 'maxUnavailable'),
    ...checkBound(maxSurge, `${path}.maxSurge`),
    ...(isZero(maxUnavailable) && isZero(maxSurge)
      ? [invalid(`${path}.maxUnavailable`, maxUnavailable, 'may not be 0 when `maxSurge` is 0')]
      : []),
  ];
};

export const checkDaemonSetRollout = (spec: JsonObject): Errors => {
  const strategy = objectAt(spec, 'updateStrategy');
  if (strategy.type === 'OnDelete') return [];
  if (strategy.type !== 'RollingUpdate') {
    return [oddStrategy('spec.updateStrategy', strategy, ['RollingUpdate', 'OnDelete'])];
  }
  const path = 'spec.updateStrategy.rollingUpdate';
  const rolling = objectAt(strategy, 'rollingUpdate');
  const isUnavailableZero = isZero(rolling.maxUnavailable);
  const isSurgeZero = isZero(rolling.maxSurge);
  const errors = ['maxUnavailable', 'maxSurge'].flatMap((name) => checkShare(rolling, path, name));
  if (isUnavailableZero && isSurgeZero) {
    return [...errors, required(`${path}.maxUnavailable`, 'cannot be 0 when maxSurge is 0')];
  }
  return isUnavailableZero || isSurgeZero
    ? errors
    : [
        ...errors,
        invalid(
          `${path}.maxSurge`,
          rolling.maxSurge,
          'may not be set when maxUnavailable is non-zero',
        ),
      ];
};

export const checkStatefulSetRollout = (spec: JsonObject): Errors => {
  const strategy = objectAt(spec, 'updateStrategy');
  const path = 'spec.updateStrategy.rollingUpdate';
  const { partition, maxUnavailable = null } = objectAt(strategy, 'rollingUpdate');
  if (strategy.type === 'OnDelete') {
    return strategy.rollingUpdate === undefined
      ? []
      : [
          invalidWithoutValue(
            path,
            `${goStruct({ Partition: partition, MaxUnavailable: maxUnavailable })}: only allowed for updateStrategy 'RollingUpdate'`,
          ),
        ];
  }
  if (strategy.type !== 'RollingUpdate') {
    const why = `${shownStrategy(strategy)}: must be 'RollingUpdate' or 'OnDelete'`;
    return [invalidWithoutValue('spec.updateStrategy', why)];
  }
  const from = numberAt({ partition }, 'partition') ?? 0;
  return from < 0 ? [invalid(`${path}.partition`, from, 'must be greater than or equal to 0')] : [];
};
