import { type ClientHttp2Session, connect } from 'node:http2';
import type { NodeClaim } from '@perigee/api/kinds/placement/replica-requirements';

/** Fields of Protocol Buffers, as far as the estimator needs them. */
const varint = (value: number): Buffer => {
  const bytes: number[] = [];
  let rest = value;
  while (rest > 127) {
    bytes.push((rest & 127) | 128);
    rest >>>= 7;
  }
  return Buffer.from([...bytes, rest]);
};

const field = (number: number, content: Buffer | string): Buffer => {
  const bytes = Buffer.from(content as string);
  return Buffer.concat([varint((number << 3) | 2), varint(bytes.length), bytes]);
};

const message = (...fields: readonly Buffer[]): Buffer => Buffer.concat(fields);

const entries = <T>(
  number: number,
  map: { readonly [key: string]: T },
  encode: (value: T) => Buffer | string,
): readonly Buffer[] =>
  Object.entries(map).map(([key, value]) =>
    field(number, message(field(1, key), field(2, encode(value)))),
  );

type Term = NonNullable<NodeClaim['hardNodeAffinity']>['nodeSelectorTerms'][number];

const termBytes = ({ matchExpressions = [] }: Term): Buffer =>
  message(
    ...matchExpressions.map(({ key, operator, values = [] }) =>
      field(1, message(field(1, key), field(2, operator), ...values.map((one) => field(3, one)))),
    ),
  );

const claimBytes = ({ nodeSelector = {}, hardNodeAffinity, tolerations = [] }: NodeClaim): Buffer =>
  message(
    ...entries(2, nodeSelector, (value) => value),
    ...(hardNodeAffinity === undefined
      ? []
      : [
          field(
            4,
            message(...hardNodeAffinity.nodeSelectorTerms.map((term) => field(1, termBytes(term)))),
          ),
        ]),
    ...tolerations.map(({ key = '', operator = '', value = '', effect = '' }) =>
      field(5, message(field(1, key), field(2, operator), field(3, value), field(4, effect))),
    ),
  );

export interface Requirements {
  readonly resourceRequest: { readonly [resource: string]: string };
  readonly nodeClaim?: NodeClaim;
}

const requestBytes = (cluster: string, { resourceRequest, nodeClaim }: Requirements): Buffer =>
  message(
    field(1, cluster),
    field(
      2,
      message(
        ...(nodeClaim === undefined ? [] : [field(1, claimBytes(nodeClaim))]),
        ...entries(5, resourceRequest, (quantity) => field(1, quantity)),
      ),
    ),
  );

const PATH = '/github.com.karmada_io.karmada.pkg.estimator.service.Estimator/MaxAvailableReplicas';

/** The only field of the answer: a number, absent when it is zero. */
const readAnswer = (frame: Buffer): number => {
  let value = 0;
  for (const [at, byte] of frame.subarray(6).entries()) value += (byte & 127) * 2 ** (7 * at);
  return value;
};

const ask = (session: ClientHttp2Session, body: Buffer): Promise<number> =>
  new Promise((resolve, reject) => {
    const stream = session.request({
      ':method': 'POST',
      ':path': PATH,
      'content-type': 'application/grpc',
      te: 'trailers',
    });
    const chunks: Buffer[] = [];
    let status = '';
    stream.on('data', (chunk: Buffer) => chunks.push(chunk));
    stream.on('trailers', (trailers) => {
      status = `${trailers['grpc-status']} ${trailers['grpc-message'] ?? ''}`.trim();
    });
    stream.on('error', reject);
    stream.on('close', () => {
      if (status === '0') resolve(readAnswer(Buffer.concat(chunks)));
      else reject(new Error(`the estimator says ${status || 'nothing'}`));
    });
    const length = Buffer.alloc(5);
    length.writeUInt32BE(body.length, 1);
    stream.end(Buffer.concat([length, body]));
  });

/** Asks karmada-scheduler-estimator how many replicas fit. */
export const estimatorClient = (port: number, cluster: string) => {
  const session = connect(`http://127.0.0.1:${port}`);
  session.on('error', () => {});
  return {
    replicas: (requirements: Requirements) => ask(session, requestBytes(cluster, requirements)),
    [Symbol.dispose]: () => session.destroy(),
  };
};
