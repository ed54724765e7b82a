import { createHash } from 'node:crypto';
import { EndpointError, endpointErrorOf } from '../errors.ts';
import { bareEtag } from './etag.ts';
import { isMissing, type S3Connection } from './s3-connection.ts';
import { elementsOf, escapeXml, textOf } from './s3-xml.ts';
import { UNSIGNED } from './sign-request.ts';

/** For two minutes in all. */
const ATTEMPTS = 28;

/** Words of a server that has no such upload, or not all of its parts. */
const LOST = new Set(['NoSuchUpload', 'InvalidPart']);
const isLost = (error: unknown): error is EndpointError =>
  error instanceof EndpointError && LOST.has(error.serverCode);

/** Uploads of larger objects in parts, each of which appears when it is complete. */
export class S3Uploads {
  readonly #connection: S3Connection;

  constructor(connection: S3Connection) {
    this.#connection = connection;
  }

  async start(key: string, metadata: Readonly<Record<string, string>>): Promise<string> {
    const call = { method: 'POST', key, query: { uploads: '' }, metadata };
    const { text } = await this.#connection.ask(call);
    return textOf(text, 'UploadId');
  }

  /** Writes a part of an upload, and returns the MD5 of what the server has, if it reports that. */
  async putPart(
    key: string,
    part: { readonly uploadId: string; readonly number: number; readonly length: number },
    body: () => AsyncIterable<Buffer>,
    payload: string | undefined,
  ): Promise<string | undefined> {
    const query = { partNumber: String(part.number), uploadId: part.uploadId };
    const headers = { 'content-length': String(part.length) };
    const call = { method: 'PUT', key, query, headers, body, payload: payload ?? UNSIGNED };
    try {
      return await this.#connection.put(call);
    } catch (error) {
      if (!isLost(error)) throw error;
      // The next run begins another one.
      throw new EndpointError(
        'Unavailable',
        `${error.message}: the upload is gone`,
        error.serverCode,
      );
    }
  }

  /** The parts of an upload that are there, with their sizes and ETags. Nothing if there is no such upload. */
  async parts(
    key: string,
    uploadId: string,
  ): Promise<ReadonlyMap<number, { readonly size: number; readonly etag: string }> | undefined> {
    const parts = new Map<number, { size: number; etag: string }>();
    for (let marker = ''; ; ) {
      const query = { uploadId, ...(marker && { 'part-number-marker': marker }) };
      try {
        const { text } = await this.#connection.ask({ method: 'GET', key, query });
        for (const xml of elementsOf(text, 'Part')) {
          const number = Number(textOf(xml, 'PartNumber'));
          parts.set(number, {
            size: Number(textOf(xml, 'Size')),
            etag: bareEtag(textOf(xml, 'ETag')),
          });
        }
        marker = textOf(text, 'NextPartNumberMarker');
        if (textOf(text, 'IsTruncated') !== 'true' || marker === '') return parts;
      } catch (error) {
        if (isMissing(error)) return undefined;
        throw error;
      }
    }
  }

  /** Gives an upload up, with all of its parts. */
  async abort(key: string, uploadId: string): Promise<void> {
    await this.#connection.ask({ method: 'DELETE', key, query: { uploadId } });
  }

  /** Makes an object of the parts. False if the server has lost them, so that they have to be sent again. */
  async complete(
    { key, uploadId }: { readonly key: string; readonly uploadId: string },
    etags: readonly string[],
    isThere: () => Promise<boolean>,
  ): Promise<boolean> {
    const parts = etags.map(
      (etag, at) =>
        `<Part><PartNumber>${at + 1}</PartNumber><ETag>&quot;${escapeXml(etag)}&quot;</ETag></Part>`,
    );
    const body = Buffer.from(
      `<CompleteMultipartUpload>${parts.join('')}</CompleteMultipartUpload>`,
    );
    const payload = createHash('sha256').update(body).digest('hex');
    const call = { method: 'POST', key, query: { uploadId }, body, payload };
    let isUnknown = false;
    const attempt = async (): Promise<void> => {
      try {
        const { text } = await this.#connection.askOnce(call);
        if (textOf(text, 'ETag') !== '') return;
        throw new EndpointError('Unavailable', 'the server does not say if the upload is complete');
      } catch (error) {
        isUnknown ||= endpointErrorOf(error).problem === 'Unavailable';
        throw error;
      }
    };
    try {
      await this.#connection.retried(attempt);
      return true;
    } catch (error) {
      if (!isLost(error)) throw error;
    }
    // An upload is gone, too, when it was completed and the answer was lost.
    if (await isThere()) return true;
    if (isUnknown) await this.#waitFor(isThere);
    return isUnknown;
  }

  /** A server may still be at it that has not answered in time. */
  #waitFor(isThere: () => Promise<boolean>): Promise<void> {
    const poll = async (): Promise<void> => {
      if (await isThere()) return;
      throw new EndpointError('Unavailable', 'the server does not say what became of an upload');
    };
    return this.#connection.retried(poll, { attempts: ATTEMPTS });
  }
}
