import { type FieldError, InvalidObjectError, required, typeInvalid } from '@perigee/schema/errors';
import { isJsonObject, type JsonObject, type JsonValue } from '@perigee/schema/json';
import { present } from '@perigee/schema/present';
import { PROFILE } from './profile-names.ts';

/** A request body, converted to the object to register. */
export interface ReadProfile {
  readonly cluster: JsonObject;
  /** Warnings for the client about the body. */
  readonly warnings: readonly string[];
}

export interface ReadProfileOptions {
  /**
   * The profile updates a registered cluster and may be one that the server returned: its name is optional,
   * its id is read, and its status is ignored.
   */
  readonly isKnown?: boolean;
}

const KNOWN: readonly string[] = ['cluster_name', 'cluster_labels', 'cluster_spec'];
const GIVEN_BY_SERVER: readonly string[] = ['cluster_id', 'cluster_status'];

const typeOf = (value: JsonValue): string => {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
};

const wrongType = (field: string, value: JsonValue, type: string): FieldError =>
  typeInvalid(field, typeOf(value), `must be ${type}`);

const isGiven = (value: JsonValue | undefined): value is JsonValue =>
  value !== undefined && value !== null;

const labelProblems = (labels: JsonValue): readonly FieldError[] => {
  const at = `${PROFILE}.cluster_labels`;
  if (!isJsonObject(labels)) return [wrongType(at, labels, 'an object of strings')];
  return Object.entries(labels).flatMap(([key, value]) =>
    typeof value === 'string' ? [] : [wrongType(`${at}[${key}]`, value ?? null, 'a string')],
  );
};

const problemsOf = (
  { cluster_name: name, cluster_id: id, cluster_labels: labels, cluster_spec: spec }: JsonObject,
  { isKnown = false }: ReadProfileOptions,
): readonly FieldError[] => {
  const problems: FieldError[] = [];
  if (isGiven(name) && typeof name !== 'string') {
    problems.push(wrongType(`${PROFILE}.cluster_name`, name, 'a string'));
  } else if (name === '' || (!isGiven(name) && !isKnown)) {
    problems.push(required(`${PROFILE}.cluster_name`));
  }
  if (isKnown && isGiven(id) && typeof id !== 'string') {
    problems.push(wrongType(`${PROFILE}.cluster_id`, id, 'a string'));
  }
  // There can be more of them than a call takes arguments.
  if (isGiven(labels)) for (const problem of labelProblems(labels)) problems.push(problem);
  if (!isGiven(spec)) problems.push(required(`${PROFILE}.cluster_spec`));
  else if (!isJsonObject(spec)) {
    problems.push(wrongType(`${PROFILE}.cluster_spec`, spec, 'an object'));
  }
  return problems;
};

const unknown = (path: string): string => `unknown field "${path}": it was left out`;

const warningsOf = (
  profile: JsonObject,
  { isKnown = false }: ReadProfileOptions,
): readonly string[] =>
  Object.keys(profile).flatMap((key) => {
    if (KNOWN.includes(key) || (isKnown && GIVEN_BY_SERVER.includes(key))) return [];
    const path = `${PROFILE}.${key}`;
    return GIVEN_BY_SERVER.includes(key)
      ? [`"${path}" is given by the server: it was left out`]
      : [unknown(path)];
  });

/** Unwraps the profile; a body without the outermost object is accepted, too. */
const profileIn = (
  body: JsonValue,
): { readonly profile: JsonValue; readonly beside: readonly string[] } => {
  if (!isJsonObject(body)) {
    throw new InvalidObjectError([wrongType('body', body, `an object with ${PROFILE}`)]);
  }
  const { [PROFILE]: profile, ...others } = body;
  if (isGiven(profile)) return { profile, beside: Object.keys(others) };
  if (KNOWN.some((key) => key in others)) return { profile: others, beside: [] };
  throw new InvalidObjectError([required(PROFILE)]);
};

/**
 * Reads a cluster profile. The spec is passed on as it is, since the kind knows all spellings.
 * @throws `InvalidObjectError` when the body is not a profile.
 */
export const readProfile = (body: JsonValue, options: ReadProfileOptions = {}): ReadProfile => {
  const { profile, beside } = profileIn(body);
  if (!isJsonObject(profile)) {
    throw new InvalidObjectError([wrongType(PROFILE, profile, 'an object')]);
  }
  const problems = problemsOf(profile, options);
  if (problems.length > 0) throw new InvalidObjectError(problems);
  const {
    cluster_name: name,
    cluster_id: uid,
    cluster_labels: labels,
    cluster_spec: spec,
  } = profile;
  const metadata = present({
    name: isGiven(name) ? name : undefined,
    uid: options.isKnown && isGiven(uid) ? uid : undefined,
    labels: isGiven(labels) ? labels : undefined,
  });
  return {
    cluster: { metadata, spec },
    warnings: [...beside.map(unknown), ...warningsOf(profile, options)],
  };
};
