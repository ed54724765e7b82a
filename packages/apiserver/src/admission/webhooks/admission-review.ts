import { goQuote } from '@perigee/schema/go-text';
import { isJsonObject, type JsonObject, type JsonValue } from '@perigee/schema/json';
import { WebhookError } from '../../errors.ts';

/** Response of a webhook to a request. */
export interface ReviewAnswer {
  readonly allowed: boolean;
  /** A Status with the reason of a denial. */
  readonly result: JsonObject | undefined;
  /** A JSON patch as text; absent without a change. */
  readonly patch: string | undefined;
  readonly patchType: string;
  readonly warnings: readonly string[];
  /** Annotations that the webhook adds to the audit event. */
  readonly auditAnnotations: JsonObject;
}

const GROUP = 'admission.k8s.io';
const KNOWN = ['v1', 'v1beta1'];

/** The version of reviews for a webhook: the first of its list that this server supports. */
export const reviewVersion = (accepted: readonly string[]): string => {
  const version = accepted.find((name) => KNOWN.includes(name));
  if (version !== undefined) return version;
  throw new WebhookError('webhook does not accept known AdmissionReview versions (v1, v1beta1)');
};

export const reviewOf = (version: string, request: JsonObject): JsonObject => ({
  kind: 'AdmissionReview',
  apiVersion: `${GROUP}/${version}`,
  request,
});

const textsIn = (value: JsonValue | undefined): readonly string[] =>
  Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];

const invalid = (why: string): WebhookError => new WebhookError(why);

const checkIdentity = (
  { apiVersion, kind }: JsonObject,
  uid: string,
  responseUid: JsonValue,
): void => {
  if (responseUid !== uid) {
    throw invalid(`expected response.uid=${goQuote(uid)}, got ${goQuote(String(responseUid))}`);
  }
  if (apiVersion === `${GROUP}/v1` && kind === 'AdmissionReview') return;
  throw invalid(
    `expected webhook response of ${GROUP}/v1, Kind=AdmissionReview, got ${apiVersion ?? ''}, Kind=${kind ?? ''}`,
  );
};

const checkPatch = (patch: string, patchType: string | undefined, mayPatch: boolean): void => {
  if (!mayPatch) {
    if (patch !== '') throw invalid('validating webhook may not return response.patch');
    if (patchType !== undefined)
      throw invalid('validating webhook may not return response.patchType');
    return;
  }
  if (patch !== '' && patchType === undefined) {
    throw invalid('webhook returned response.patch but not response.patchType');
  }
  if (patch === '' && patchType !== undefined) {
    throw invalid('webhook returned response.patchType but not response.patch');
  }
  if (patchType === '') throw invalid('webhook returned invalid response.patchType of ""');
};

/** Reads the answer to the review with this uid. Throws a `WebhookError` when it is none. */
export const readAnswer = (
  review: JsonObject,
  {
    version,
    uid,
    mayPatch,
  }: { readonly version: string; readonly uid: string; readonly mayPatch: boolean },
): ReviewAnswer => {
  const { response } = review;
  if (!isJsonObject(response)) throw invalid('webhook response was absent');
  const patch = typeof response.patch === 'string' ? response.patch : '';
  const patchType = typeof response.patchType === 'string' ? response.patchType : undefined;
  if (version === 'v1') {
    checkIdentity(review, uid, response.uid ?? '');
    checkPatch(patch, patchType, mayPatch);
  }
  return {
    allowed: response.allowed === true,
    result: isJsonObject(response.status) ? response.status : undefined,
    patch: patch === '' || !mayPatch ? undefined : Buffer.from(patch, 'base64').toString(),
    patchType: version === 'v1' ? (patchType ?? '') : 'JSONPatch',
    warnings: textsIn(response.warnings),
    auditAnnotations: isJsonObject(response.auditAnnotations) ? response.auditAnnotations : {},
  };
};
