import type { DataQuestion } from '@perigee/scheduling/data/provision/data-question';
import type { ProvisionerConfig } from '@perigee/scheduling/data/provision/provisioner-config';
import { type ProvisionerAnswer, readAnswer } from '@perigee/scheduling/data/provision/read-answer';
import { isJsonObject } from '@perigee/schema/json';
import type { ProvisionerConnection } from './provisioner-connection.ts';
import { refusal } from './refusal.ts';

/** Error types with which an Iceberg REST catalogue reports a missing table. */
const NO_SUCH = /^NoSuch|NotFound/;

const isNoSuchTable = (json: unknown): boolean => {
  if (!isJsonObject(json)) return false;
  const { error } = json;
  return isJsonObject(error) && typeof error.type === 'string' && NO_SUCH.test(error.type);
};

const unusable = (message: string): ProvisionerAnswer => ({ kind: 'unusable', message });

/**
 * Looks up a table, `catalog.database.table`, in Apache Amoro, a catalogue of Iceberg tables. It ignores the
 * attributes of claims.
 */
export const askAmoro = async (
  { url, locationMapping }: ProvisionerConfig,
  connection: ProvisionerConnection,
  question: DataQuestion,
  signal: AbortSignal,
): Promise<ProvisionerAnswer> => {
  const { dataSourceName = '' } = question;
  const parts = dataSourceName.split('.');
  // Unpaired surrogates cannot be encoded in a URL.
  if (parts.length !== 3 || parts.includes('') || !dataSourceName.isWellFormed()) {
    return unusable('dataSourceName must be catalog.database.table');
  }
  const [catalog = '', database = '', table = ''] = parts.map(encodeURIComponent);
  const path = `/api/iceberg/rest/v1/catalogs/${catalog}/namespaces/${database}/tables/${table}`;
  const { code, json } = await connection.send({ method: 'GET', url: url + path }, signal);
  if (code === 404 && isNoSuchTable(json)) {
    return { kind: 'missing', message: '', isCertain: true };
  }
  if (code !== 200) return refusal(code);
  const metadata = isJsonObject(json) ? json.metadata : undefined;
  const location = isJsonObject(metadata) ? metadata.location : undefined;
  if (typeof location !== 'string' || location === '') {
    return unusable('the metadata of the table have no location');
  }
  return readAnswer({ location }, question, locationMapping);
};
