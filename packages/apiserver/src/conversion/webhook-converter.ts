import type { Clock } from '@perigee/kube/clock/clock';
import { isJsonObject, type JsonObject, type JsonValue } from '@perigee/schema/json';
import { WebhookError } from '../errors.ts';
import type { Convert } from '../resource/kind-versions.ts';
import { unexpectedError } from '../status/server-refusals.ts';
import { type WebhookAddress, webhookAddress } from '../webhook/webhook-address.ts';
import type { WebhookClient } from '../webhook/webhook-client.ts';
import { checkConverted } from './check-converted.ts';

export interface ConversionWorld {
  readonly clock: Clock;
  readonly webhooks: WebhookClient;
}

const GROUP = 'apiextensions.k8s.io';
const TIMEOUT_MS = 30_000;
/** Limit of objects in one review; a longer list takes several. */
const MOST_OBJECTS = 500;

const isKnownVersion = (version: JsonValue): boolean => version === 'v1' || version === 'v1beta1';

const resultOf = (review: JsonObject, version: string, uid: string): readonly JsonValue[] => {
  const { response, apiVersion, kind } = review;
  // Webhooks of v1beta1 never had to satisfy these.
  if (version === 'v1' && (apiVersion !== `${GROUP}/v1` || kind !== 'ConversionReview')) {
    throw new WebhookError(
      `failed: expected webhook response of ${GROUP}/v1, Kind=ConversionReview, got ${apiVersion}, Kind=${kind}`,
    );
  }
  if (!isJsonObject(response)) throw new WebhookError('failed: no response provided');
  if (version === 'v1' && response.uid !== uid) {
    const got = JSON.stringify(response.uid ?? '');
    throw new WebhookError(`failed: expected response.uid="${uid}", got ${got}`);
  }
  const { status = '', message }: JsonObject = isJsonObject(response.result) ? response.result : {};
  if (status !== 'Success') {
    const why = message || `response.result.status was '${status}', not 'Success'`;
    throw new WebhookError(`failed: ${why}`);
  }
  return Array.isArray(response.convertedObjects) ? response.convertedObjects : [];
};

/** Converts objects by a webhook. Objects in the desired version are not sent. */
export const webhookConverter = (
  { clock, webhooks }: ConversionWorld,
  { clientConfig, conversionReviewVersions }: JsonObject,
): Convert => {
  const versions: readonly JsonValue[] = Array.isArray(conversionReviewVersions)
    ? conversionReviewVersions
    : [];
  const version = String(versions.find(isKnownVersion) ?? '');
  let address: WebhookAddress | undefined;

  const review = async (
    objects: readonly JsonObject[],
    apiVersion: string,
  ): Promise<readonly JsonObject[]> => {
    const uid = clock.uuid();
    const request = { uid, desiredAPIVersion: apiVersion, objects };
    const body = { kind: 'ConversionReview', apiVersion: `${GROUP}/${version}`, request };
    address ??= webhookAddress(isJsonObject(clientConfig) ? clientConfig : {});
    const answer = await webhooks
      .call(address, body, { timeoutMs: TIMEOUT_MS })
      .catch((error: Error) => {
        throw new WebhookError(`failed: ${error.message}`, { cause: error });
      });
    const convertedObjects = resultOf(answer, version, uid);
    if (convertedObjects.length !== objects.length) {
      throw new WebhookError(
        `returned ${convertedObjects.length} objects, expected ${objects.length}`,
      );
    }
    return objects.map((object, at) => checkConverted(object, convertedObjects[at], apiVersion));
  };

  const convert: Convert = async (objects, apiVersion) => {
    const others = objects.filter((object) => object.apiVersion !== apiVersion);
    const results = new Map<JsonObject, JsonObject>();
    for (let at = 0; at < others.length; at += MOST_OBJECTS) {
      const portion = others.slice(at, at + MOST_OBJECTS);
      const convertedObjects = await review(portion, apiVersion).catch((error: Error) => {
        const [first] = portion;
        const subject = `conversion webhook for ${first?.apiVersion}, Kind=${first?.kind}`;
        throw unexpectedError(`${subject} ${error.message}`);
      });
      for (const [index, object] of portion.entries()) {
        results.set(object, convertedObjects[index] ?? object);
      }
    }
    return objects.map((object) => results.get(object) ?? object);
  };
  return convert;
};
