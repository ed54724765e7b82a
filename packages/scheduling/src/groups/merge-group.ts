import { isJsonObject, type JsonObject, type JsonValue } from '@perigee/api/json';
import type { PodGroupSpec } from '@perigee/api/kinds/groups/pod-group';
import { sameJson } from '@perigee/api/schema/validate/same-json';
import type { DesiredGroup } from './desired-group.ts';
import { APPLIED } from './group-names.ts';

type Fields = { readonly [field: string]: JsonValue | undefined };

/** A group as it is. */
interface PresentGroup {
  readonly metadata: { readonly annotations?: { readonly [key: string]: string } };
  readonly spec: object;
}

/** What to write: fields that are absent are to go. Nothing when all is as it should be. */
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
    // Somebody wrote into it: then all that differs is taken for theirs.
    return none;
  }
};

/** Fields that nobody else changed since they were written, and that should be different now. */
const changes = (applied: Fields, present: Fields, desired: Fields): Fields => {
  const fields = new Set([...Object.keys(applied), ...Object.keys(desired)]);
  const changed: { [field: string]: JsonValue | undefined } = {};
  for (const field of fields) {
    const isOurs = sameJson(present[field], applied[field]);
    if (isOurs && !sameJson(present[field], desired[field])) changed[field] = desired[field];
  }
  return changed;
};

/** How many members somebody else wrote into a group; nothing when it is what was written here. */
export const chosenMinMember = ({ metadata, spec }: PresentGroup): number | undefined => {
  const { minMember } = spec as PodGroupSpec;
  const { spec: applied } = readApplied(metadata.annotations?.[APPLIED]);
  return minMember === applied.minMember ? undefined : minMember;
};

/** The mark of what is written. */
export const appliedMark = ({ spec, annotations }: DesiredGroup): string =>
  JSON.stringify({ spec, annotations });

/** What to change in a group so that it is as desired, without touching what others changed in it. */
export const groupChange = (
  { metadata: { annotations: present = {} }, spec }: PresentGroup,
  desired: DesiredGroup,
): GroupChange | undefined => {
  const applied = readApplied(present[APPLIED]);
  const mark = appliedMark(desired);
  const marked = present[APPLIED] === mark ? {} : { [APPLIED]: mark };
  const change = {
    spec: changes(applied.spec, spec as Fields, desired.spec as Fields),
    annotations: { ...changes(applied.annotations, present, desired.annotations), ...marked },
  };
  const isNone =
    Object.keys(change.spec).length === 0 && Object.keys(change.annotations).length === 0;
  return isNone ? undefined : change;
};
