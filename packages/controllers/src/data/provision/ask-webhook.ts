import { DataSourceClaim } from '@perigee/api/kinds/data/data-source-claim';
import { apiVersionOf } from '@perigee/api/meta/resource-kind';
import type { DataQuestion } from '@perigee/scheduling/data/provision/data-question';
import type { ProvisionerConfig } from '@perigee/scheduling/data/provision/provisioner-config';
import { type ProvisionerAnswer, readAnswer } from '@perigee/scheduling/data/provision/read-answer';
import { isJsonObject } from '@perigee/schema/json';
import type { ProvisionerConnection } from './provisioner-connection.ts';
import { refusal } from './refusal.ts';

/** The claim behind the question; absent when known data is refreshed. */
export interface Asking {
  readonly namespace: string;
  readonly name: string;
}

/** POSTs the claim to a webhook. */
export const askWebhook = async (
  { url, locationMapping }: ProvisionerConfig,
  connection: ProvisionerConnection,
  question: DataQuestion,
  asking: Asking | undefined,
  signal: AbortSignal,
): Promise<ProvisionerAnswer> => {
  const body = {
    apiVersion: 'provisioning.perigee.io/v1',
    kind: 'DataRequest',
    claim: {
      apiVersion: apiVersionOf(DataSourceClaim),
      kind: DataSourceClaim.kind,
      metadata: asking ?? {},
      spec: question,
    },
  };
  const { code, json } = await connection.send({ method: 'POST', url, body }, signal);
  const isStated = isJsonObject(json) && json.found === false;
  if (code === 200 || (code === 404 && isStated))
    return readAnswer(json, question, locationMapping);
  return refusal(code);
};
