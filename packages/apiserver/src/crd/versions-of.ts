import { isJsonObject, type JsonObject } from '@perigee/schema/json';
import { sameJson } from '@perigee/schema/same-json';
import { type ConversionWorld, webhookConverter } from '../conversion/webhook-converter.ts';
import type { Convert, KindVersions } from '../resource/kind-versions.ts';
import { unexpectedError } from '../status/server-refusals.ts';
import type { Crd } from './crd.ts';

/** The strategy `None`: changes the `apiVersion` alone. */
const renameVersion: Convert = async (objects, apiVersion) =>
  objects.map((object) => ({ ...object, apiVersion }));

const refuse: Convert = async ([object]) => {
  throw unexpectedError(
    `conversion webhook for ${object?.apiVersion}, Kind=${object?.kind} failed: this server calls no webhooks`,
  );
};

const hasSameSchemas = ({ versions }: Crd): boolean => {
  const [first, ...others] = versions.map(({ schema = {} }) => schema as JsonObject);
  return others.every((schema) => sameJson(schema, first ?? {}));
};

/** Conversion between the versions of a definition; undefined if nothing in the objects changes. */
export const versionsOf = (crd: Crd, world?: ConversionWorld): KindVersions | undefined => {
  const { group, versions, conversion = {} } = crd;
  if (versions.length < 2) return undefined;
  const schemas = new Map(
    versions.map(({ name, schema = {} }) => [`${group}/${name}`, schema] as const),
  );
  if (conversion.strategy !== 'Webhook') {
    return hasSameSchemas(crd) ? undefined : { schemas, convert: renameVersion };
  }
  const webhook = isJsonObject(conversion.webhook) ? conversion.webhook : {};
  return { schemas, convert: world === undefined ? refuse : webhookConverter(world, webhook) };
};
