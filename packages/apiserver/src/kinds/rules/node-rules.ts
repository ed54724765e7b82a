import { isIPv6 } from 'node:net';
import { type FieldError, forbidden, invalid } from '@perigee/api/errors';
import type { JsonObject } from '@perigee/api/json';
import { sameJson } from '@perigee/api/schema/validate/same-json';
import { objectAt, textAt, textsAt } from '../fields.ts';
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

/** What a node was given once it keeps. */
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
  return old === undefined
    ? checkBlocks(textsAt(spec, 'podCIDRs'))
    : checkUpdate(spec, objectAt(old, 'spec'));
};

export const NODE_RULES: KindRules = [['core.v1.Node', node]];
