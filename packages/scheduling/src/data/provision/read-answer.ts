import type { DataSourceLocality } from '@perigee/api/kinds/data/data-source';
import { isJsonObject, type JsonObject, type JsonValue } from '@perigee/schema/json';
import { present } from '@perigee/schema/present';
import type { DataQuestion } from './data-question.ts';
import { type LocationMapping, mapLocation } from './map-location.ts';

/** Data that a provisioner found, with its location. */
export interface FoundData {
  /** The name of the data, for a request without one. */
  readonly name?: string;
  readonly locality: DataSourceLocality;
  /** Absent if the answer has none; the attributes of the claim then count as confirmed. */
  readonly attributes?: { readonly [name: string]: string };
  readonly size?: string | number;
}

export type ProvisionerAnswer =
  | { readonly kind: 'found'; readonly data: FoundData }
  /** The data does not exist yet. */
  | {
      readonly kind: 'missing';
      readonly message: string;
      /** True if the answer is explicit; a status 404 may also come from a proxy. */
      readonly isCertain: boolean;
    }
  /** The data exists, but in no cluster. */
  | { readonly kind: 'nowhere'; readonly message: string }
  /** An invalid answer or a refusal. An immediate retry would not help. */
  | { readonly kind: 'unusable'; readonly message: string };

const MOST_CHARACTERS = 300;

/** Untrusted text, cut and on one line, for a condition message. */
const quote = (text: string): string => {
  const line = text
    .slice(0, MOST_CHARACTERS)
    .replaceAll(/[\p{Cc}\s]+/gu, ' ')
    .trim();
  return text.length > MOST_CHARACTERS ? `${line}…` : line;
};

const unusable = (message: string): ProvisionerAnswer => ({ kind: 'unusable', message });

const isText = (value: JsonValue | undefined): value is string =>
  typeof value === 'string' && value !== '';

const isTexts = (value: JsonObject): boolean =>
  Object.values(value).every((one) => typeof one === 'string');

/** A field without a value is none: an empty list of Go is written as null. */
const withoutNulls = (object: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(object).filter(([, value]) => value !== null));

const localityOf = (
  { locality, location }: JsonObject,
  mapping: LocationMapping,
): DataSourceLocality | string => {
  if (isJsonObject(locality)) return withoutNulls(locality) as DataSourceLocality;
  if (locality !== undefined)
    return 'locality must be an object with clusterNames or clusterAffinity';
  if (!isText(location)) return 'it says neither locality nor location';
  const clusterNames = mapLocation(location, mapping);
  return clusterNames === undefined
    ? `the data is at ${quote(location)}, which no prefix of locationMapping fits`
    : { clusterNames };
};

const isNowhere = ({ clusterNames = [], clusterAffinity }: DataSourceLocality): boolean =>
  clusterAffinity === undefined && clusterNames.length === 0;

/** Parses the answer of a provisioner. The validation of DataSource checks the rest. */
export const readAnswer = (
  answer: unknown,
  question: DataQuestion,
  mapping: LocationMapping,
): ProvisionerAnswer => {
  if (!isJsonObject(answer)) return unusable('it is not a JSON object');
  const fields = withoutNulls(answer);
  const { found, message, name, attributes, size } = fields;
  if (found === false) {
    return { kind: 'missing', message: isText(message) ? quote(message) : '', isCertain: true };
  }
  const { dataSourceName } = question;
  if (name !== undefined && !isText(name)) return unusable('name must be text');
  if (dataSourceName === undefined && name === undefined) {
    return unusable('it says no name, and the claim leaves open which data is meant');
  }
  if (dataSourceName !== undefined && name !== undefined && name !== dataSourceName) {
    return unusable(`it is about ${quote(name)}`);
  }
  const isAttributes =
    attributes === undefined || (isJsonObject(attributes) && isTexts(attributes));
  if (!isAttributes) return unusable('attributes must be an object of texts');
  const isSize = size === undefined || typeof size === 'string' || typeof size === 'number';
  if (!isSize) return unusable('size must be a quantity, such as 120Gi');
  const locality = localityOf(fields, mapping);
  if (typeof locality === 'string') return unusable(locality);
  if (isNowhere(locality)) {
    return { kind: 'nowhere', message: isText(message) ? quote(message) : '' };
  }
  return {
    kind: 'found',
    data: {
      locality,
      ...present({ name, attributes: attributes as { [key: string]: string } | undefined, size }),
    },
  };
};
