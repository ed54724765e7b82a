import { isIPv6 } from 'node:net';
import {
  duplicate,
  type FieldError,
  forbidden,
  invalid,
  notSupported,
  required,
} from '@perigee/schema/errors';
import type { JsonObject } from '@perigee/schema/json';
import { objectAt, objectsAt, textAt, textsAt } from '@perigee/schema/json-fields';
import { sameJson } from '@perigee/schema/same-json';
import { checkLabelValue, checkQualifiedName } from '@perigee/schema/values/names';
import { checkBlock } from './addresses.ts';
import type { KindRule, KindRules } from './kind-rule.ts';

type Errors = readonly FieldError[];

const BLOCKS = 'spec.podCIDRs';

const checkBlocks = (blocks: readonly string[]): Errors => {
  const wrong = blocks.flatMap((block, index) => checkBlock(block, `${BLOCKS}[${index}]`));
  if (wrong.length > 0) return wrong;
  const families = new Set(blocks.map((block) => isIPv6(block.split('/')[0] ?? '')));
  return families.size < blocks.length
    ? [invalid(BLOCKS, blocks, 'may specify no more than one CIDR for each IP family')]
    : [];
};

const EFFECTS = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];

/** As in Kubernetes, where taints were annotations once. */
const TAINTS = 'metadata.taints';

const repeated = (path: string, { key, value = '', effect, timeAdded = null }: JsonObject) => {
  const goTaint = { Key: key, Value: value, Effect: effect, TimeAdded: timeAdded };
  const why = `${JSON.stringify(goTaint)}: taints must be unique by key and effect pair`;
  return { ...duplicate(path), message: `Duplicate value: ${why}` };
};

const checkTaints = (taints: readonly JsonObject[]): Errors => {
  const taintIds = new Set<string>();
  return taints.flatMap((taint, index) => {
    const path = `${TAINTS}[${index}]`;
    const key = textAt(taint, 'key');
    const value = textAt(taint, 'value');
    const effect = textAt(taint, 'effect');
    const id = `${effect} ${key}`;
    const isRepeated = taintIds.has(id);
    taintIds.add(id);
    return [
      ...checkQualifiedName(key).map((problem) => invalid(`${path}.key`, key, problem)),
      ...checkLabelValue(value).map((problem) => invalid(`${path}.value`, value, problem)),
      ...(effect === '' ? [required(`${path}.effect`)] : []),
      ...(['', ...EFFECTS].includes(effect)
        ? []
        : [notSupported(`${path}.effect`, effect, EFFECTS)]),
      ...(isRepeated ? [repeated(path, taint)] : []),
    ];
  });
};

/** Fields of a node that cannot change once they are set. */
const checkUpdate = (spec: JsonObject, old: JsonObject): Errors => {
  const provider = textAt(old, 'providerID');
  const isMoved = textsAt(old, 'podCIDRs').length > 0 && !sameJson(spec.podCIDRs, old.podCIDRs);
  const why = (what: string) => `node updates may not change ${what} except from "" to valid`;
  return [
    ...(isMoved ? [forbidden(BLOCKS, why('podCIDR'))] : []),
    ...(provider !== '' && textAt(spec, 'providerID') !== provider
      ? [forbidden('spec.providerID', why('providerID'))]
      : []),
  ];
};

const node: KindRule = (object, old) => {
  const spec = objectAt(object, 'spec');
  return [
    ...checkBlocks(textsAt(spec, 'podCIDRs')),
    ...checkTaints(objectsAt(spec, 'taints')),
    ...(old === undefined ? [] : checkUpdate(spec, objectAt(old, 'spec'))),
  ];
};

export const NODE_RULES: KindRules = [['core.v1.Node', node]];
