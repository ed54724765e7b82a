import type { PodGroupSpec } from '@perigee/api/kinds/groups/pod-group';
import { isJsonObject, type JsonObject, type JsonValue } from '@perigee/schema/json';
import { sameJson } from '@perigee/schema/same-json';
import type { DesiredGroup } from './desired-group.ts';
import { APPLIED } from './group-names.ts';

type wish = { readonly [field: string]: JsonValue | undefined };

/** The current group. */
interface PresentGroup {
  readonly metadata: { readonly annotations?: { readonly [key: string]: string } };
  readonly spec: object;
}

/** The patch for a group: fields set to undefined are removed. Undefined if nothing changes. */
export interface GroupChange {
  readonly spec: wish;
  readonly annotations: wish;
}

const readApplied = (text: string | undefined): { spec: JsonObject; annotations: JsonObject } => {
  const none = { spec: {}, annotations: {} };
  if (text === undefined) return none;
  try {
    const value: JsonValue = JSON.parse(text);
    if (!isJsonObject(value)) return none;
    const { spec, annotations } = value;
    return {
      spec: isJsonObject(spec) ? spec : {},
      annotations: isJsonObject(annotations) ? annotations : {},
    };
  } catch {
    // The annotation was edited: then every difference counts as a user's change.
    return none;
  }
};

/**
 * Fields that nobody else changed since the last apply, and that now differ from the desired ones.
 */
const changes = (base: wish, live: wish, wish: wish): wish => {
  const fields = new Set([...Object.keys(base), ...Object.keys(wish)]);
  const fieldChanges: { [field: string]: JsonValue | undefined } = {};
  for (const field of fields) {
    const isOurs = sameJson(live[field], base[field]);
    if (isOurs && !sameJson(live[field], wish[field])) fieldChanges[field] = wish[field];
  }
  return fieldChanges;
};

/** The minMember that someone else wrote; undefined if it is the last applied one. */
export const chosenMinMember = ({ metadata, spec }: PresentGroup): number | undefined => {
  const { minMember } = spec as PodGroupSpec;
  const { spec: appliedSpec } = readApplied(metadata.annotations?.[APPLIED]);
  return minMember === appliedSpec.minMember ? undefined : minMember;
};

/** The value of the last-applied annotation. */
export const appliedMark = ({ spec, annotations }: DesiredGroup): string =>
  JSON.stringify({ spec, annotations });

/** Three-way merge of a group: applies the desired state, except for fields that others changed. */
export const groupChange = (
  { metadata: { annotations: liveAnnotations = {} }, spec }: PresentGroup,
  wish: DesiredGroup,
): GroupChange | undefined => {
  const lastApplied = readApplied(liveAnnotations[APPLIED]);
  const mark = appliedMark(wish);
  const markField = liveAnnotations[APPLIED] === mark ? {} : { [APPLIED]: mark };
  const change = {
    spec: changes(lastApplied.spec, spec as wish, wish.spec as wish),
    annotations: {
      ...changes(lastApplied.annotations, liveAnnotations, wish.annotations),
      ...markField,
    },
  };
  const isNone =
    Object.keys(change.spec).length === 0 && Object.keys(change.annotations).length === 0;
  return isNone ? undefined : change;
};
