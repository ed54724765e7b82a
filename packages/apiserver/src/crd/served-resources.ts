import type { PrinterColumn } from '@perigee/api/kind/define-kind';
import { isJsonObject, type JsonObject } from '@perigee/schema/json';
import { present } from '@perigee/schema/present';
import { sameJson } from '@perigee/schema/same-json';
import { type ConversionWorld, webhookConverter } from '../conversion/webhook-converter.ts';
import { compareVersions } from '../discovery/version-order.ts';
import type { Convert, KindVersions } from '../resource/kind-versions.ts';
import type { ServedResource } from '../resource/served-resource.ts';
import { unexpectedError } from '../status/server-refusals.ts';
import { type Crd, type CrdColumn, type CrdVersion, isCrdConditionTrue, readCrd } from './crd.ts';

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
const versionsOf = (crd: Crd, world?: ConversionWorld): KindVersions | undefined => {
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

/** Deprecation warning of a version: names the version to use instead. */
const deprecationOf = (
  { group, names, versions }: Crd,
  { name, deprecated, deprecationWarning }: CrdVersion,
): string | undefined => {
  if (!deprecated) return undefined;
  if (deprecationWarning !== undefined) return deprecationWarning;
  const [better] = versions
    .filter((other) => other.served && !other.deprecated)
    .map((other) => other.name)
    .filter((other) => compareVersions(other, name) < 0)
    .sort(compareVersions);
  const versionText = (version: string): string => `${group}/${version} ${names.kind}`;
  const instead = better === undefined ? '' : `; use ${versionText(better)}`;
  return `${versionText(name)} is deprecated${instead}`;
};

const VERBS = ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch'];

/** While a CRD is deleted, its objects may be deleted too, but not created or changed. */
const TERMINATING_VERBS = ['delete', 'deletecollection', 'get', 'list', 'watch'];

const AGE: PrinterColumn = {
  name: 'Age',
  type: 'date',
  path: '.metadata.creationTimestamp',
  doc: 'Time since creation.',
};

const toColumn = ({ name, type, jsonPath, description, priority }: CrdColumn): PrinterColumn => ({
  name,
  type: type as PrinterColumn['type'],
  path: jsonPath,
  doc: description,
  ...present({ priority: priority > 0 ? priority : undefined }),
});

/**
 * The resources of a valid CRD, once it is established: one for each served version. Conversion webhooks are called
 * only if `world` is given.
 */
export const servedResources = (
  crd: JsonObject,
  world?: ConversionWorld,
): readonly ServedResource[] => {
  const read = readCrd(crd);
  const { group, versions, acceptedNames } = read;
  const names = acceptedNames.plural === '' ? read.names : acceptedNames;
  const storageVersion = versions.find(({ storage }) => storage)?.name ?? '';
  const kindVersions = versionsOf(read, world);
  const definition = JSON.stringify(crd.spec);
  return versions
    .filter(({ served }) => served)
    .map((version) => {
      const { name, schema, subresources, columns, selectableFields } = version;
      const deprecation = deprecationOf(read, version);
      return {
        group,
        version: name,
        kind: names.kind,
        plural: names.plural,
        scope: read.scope === 'Cluster' ? 'Cluster' : 'Namespaced',
        singular: names.singular,
        listKind: names.listKind,
        shortNames: names.shortNames,
        categories: names.categories,
        verbs: isCrdConditionTrue(read, 'Terminating') ? TERMINATING_VERBS : VERBS,
        schema: schema ?? { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
        origin: 'crd',
        definition,
        storage: { group, plural: names.plural, version: storageVersion },
        ...present({ versions: kindVersions, deprecation }),
        hasStatus: subresources?.hasStatus ?? false,
        ...present({ scale: subresources?.scale }),
        columns: columns.length === 0 ? [AGE] : columns.map(toColumn),
        strategy:
          selectableFields.length === 0
            ? {}
            : { selectableFields: selectableFields.map((path) => path.replace(/^\./, '')) },
      };
    });
};
