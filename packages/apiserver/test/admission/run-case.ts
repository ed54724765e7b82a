import { isJsonObject, type JsonObject } from '@perigee/schema/json';
import type { Answer } from '../webhook/webhook-server.ts';
import type { AdmissionCase, CannedAnswer, CaseRequest, Stage } from './cases.ts';

/** The server's answer to the request of a case, without the parts of this one run. */
export interface Outcome {
  readonly code: number;
  readonly reason?: string;
  readonly message?: string;
  readonly causes?: readonly JsonObject[];
  readonly warnings?: readonly string[];
  /** The object that was written, if one was. */
  readonly data?: JsonObject;
  /** The same of a deployment. */
  readonly spec?: JsonObject;
}

export type Send = (request: CaseRequest) => Promise<Response>;

const canned = (answer: CannedAnswer, review: JsonObject): Answer => {
  if (answer === 'nothing' || 'code' in answer) return answer;
  const { uid } = review.request as { readonly uid: string };
  if ('body' in answer) {
    const { response } = answer.body;
    return isJsonObject(response)
      ? { ...answer.body, response: { ...response, uid } }
      : answer.body;
  }
  const patch =
    'patch' in answer
      ? {
          allowed: true,
          patchType: 'JSONPatch',
          patch: Buffer.from(JSON.stringify(answer.patch)).toString('base64'),
        }
      : answer.response;
  return {
    apiVersion: 'admission.k8s.io/v1',
    kind: 'AdmissionReview',
    response: { uid, ...patch },
  };
};

/** Answers reviews as the case says, by the path that was called. */
export const answerer =
  ({ answers = {} }: AdmissionCase) =>
  (review: JsonObject, path: string): Answer => {
    const [name = ''] = (path.split('/').at(-1) ?? '').split('?');
    const answer = answers[name];
    if (answer === undefined) throw new Error(`the case has no answer for ${path}`);
    return canned(answer, review);
  };

const withoutRun = (text: string, { url, namespace }: Stage): string =>
  text
    .replaceAll(url, 'https://webhook')
    .replaceAll(namespace, 'NAMESPACE')
    .replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, 'UID')
    .replace(/zz-[a-z0-9]{5}/g, 'zz-NAME');

const warningsOf = (response: Response): readonly string[] =>
  [...(response.headers.get('warning') ?? '').matchAll(/299 - "((?:[^"\\]|\\.)*)"/g)].map(
    ([, text = '']) => text,
  );

/** Makes the request of a case, and tells what came of it. */
export const outcomeOf = async (
  { request }: AdmissionCase,
  stage: Stage,
  send: Send,
): Promise<Outcome> => {
  const response = await send(request);
  const body = (await response.json()) as JsonObject;
  const { reason, message, details, data, kind, spec } = body as {
    readonly reason?: string;
    readonly message?: string;
    readonly details?: { readonly causes?: readonly JsonObject[] };
    readonly data?: JsonObject;
    readonly kind?: string;
    readonly spec?: JsonObject;
  };
  const outcome = {
    code: response.status,
    ...(reason === undefined ? {} : { reason }),
    ...(message === undefined ? {} : { message }),
    ...(details?.causes === undefined ? {} : { causes: details.causes }),
    ...(warningsOf(response).length === 0 ? {} : { warnings: warningsOf(response) }),
    ...(data === undefined ? {} : { data }),
    ...(kind === 'Deployment' && spec !== undefined ? { spec } : {}),
  };
  return JSON.parse(withoutRun(JSON.stringify(outcome), stage)) as Outcome;
};
