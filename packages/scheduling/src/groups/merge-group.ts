import type { PodGroupSpec } from '@perigee/api/kinds/groups/pod-group';
import { isJsonObject, type JsonObject, type JsonValue } from '@perigee/schema/json';
import { sameJson } from '@perigee/schema/same-json';
import type { DesiredGroup } from './desired-group.ts';
import { APPLIED } from './group-names.ts';

type Fields = { readonly [field: string]: JsonValue | undefined };

/** The current group. */
interface PresentGroup {
  readonly metadata: { readonly annotations?: { readonly [key: string]: string } };
  readonly spec: object;
}

/** The patch for a group: fields set to undefined are removed. Undefined if nothing changes. */
export interface GroupChange {
  readonly spec: Fields;
  readonly annotations: Fields;
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
const changes = (base: Fields, live: Fields, desired: Fields): Fields => {
  const fields = new Set([...Object.keys(base), ...Object.keys(desired)]);
  const fieldChanges: { [field: string]: JsonValue | undefined } = {};
  for (const field of fields) {
    const isOurs = sameJson(live[field], base[field]);
    if (isOurs && !sameJson(live[field], desired[field])) fieldChanges[field] = desired[field];
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
  desired: DesiredGroup,
): GroupChange | undefined => {
  const lastApplied = readApplied(liveAnnotations[APPLIED]);
  const mark = appliedMark(desired);
  const markField = liveAnnotations[APPLIED] === mark ? {} : { [APPLIED]: mark };
  const change = {
    spec: changes(lastApplied.spec, spec as Fields, desired.spec as Fields),
    annotations: {
      ...changes(lastApplied.annotations, liveAnnotations, desired.annotations),
      ...markField,
    },
  };
  const isNone =
    Object.keys(change.spec).length === 0 && Object.keys(change.annotations).length === 0;
  return isNone ? undefined : change;
};
