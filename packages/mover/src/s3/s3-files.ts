import { createHash, type Hash, hash } from 'node:crypto';
import type { ReadableFile, RecordedDigest } from '../ends/source.ts';
import { MoveError, touching } from '../errors.ts';
import type { Answer } from '../http/answer.ts';
import { StreamFile } from '../http/stream-file.ts';
import type { RetryOptions } from '../http/with-retries.ts';
import { assertUnchanged, type DamageReason, damageOf } from '../jobs/assert-unchanged.ts';
import type { Counters } from '../jobs/counters.ts';
import {
  type FileFacts,
  fromWire,
  type Outcome,
  type PieceJob,
  type SmallFile,
  toWire,
} from '../jobs/job.ts';
import type { Stretch, Transfer } from '../jobs/transfer.ts';
import type { Lane, SourceFiles, TargetFiles } from '../jobs/worker-ends.ts';
import { md5Of } from './etag.ts';
import type { S3Client } from './s3-client.ts';
import { SHA256 } from './s3-entry.ts';

/** A stretch of an object, with what its server reports of its content. */
const openObject = (
  client: S3Client,
  retries: RetryOptions,
  facts: FileFacts,
  stretch: Stretch,
): ReadableFile => {
  const key = fromWire(facts.from).toString();
  const { version, size } = facts;
  const isWhole = stretch.offset === 0 && stretch.length === size;
  let md5: Hash | undefined;
  let sha256: string | undefined;
  const open = async (from: number, to: number): Promise<Answer> => {
    const range = { etag: version, size, offset: from, length: to - from };
    const answer = await client.get(key, range);
    const { headers } = answer;
    const digestHeader = headers[`x-amz-meta-${SHA256}`];
    if (isWhole && digestHeader !== undefined) sha256 = String(digestHeader);
    const hasMd5 = isWhole && sha256 === undefined && md5Of(version, headers) !== undefined;
    if (from === 0) md5 = hasMd5 ? createHash('md5') : undefined;
    return answer;
  };
  const readDigest = (): RecordedDigest | undefined => {
    if (sha256 !== undefined) return { algorithm: 'sha256', hex: sha256 };
    return md5 && { algorithm: 'md5', hex: version, actual: md5.digest('hex') };
  };
  const onBytes = (bytes: Buffer): void => void md5?.update(bytes);
  return new StreamFile({ open, version, onBytes, recorded: readDigest }, stretch, retries);
};

export const s3SourceFiles = (client: S3Client, retries: RetryOptions): SourceFiles => ({
  open: (facts, stretch) => openObject(client, retries, facts, stretch),
  [Symbol.dispose]: () => client[Symbol.dispose](),
});

/** An upload, as its parts take it to a worker: the object, and the note by which another run finds the upload. */
export interface UploadAddress {
  readonly key: string;
  readonly uploadId: string;
  readonly note: string;
}

export const partAddress = (upload: UploadAddress): Buffer => Buffer.from(JSON.stringify(upload));

/** Times that something is sent which is damaged when it gets there. */
const ATTEMPTS = 3;

interface Sending {
  /** Gives the MD5 of what the server has, if it reports that. */
  readonly put: () => Promise<string | undefined>;
  /** MD5 of what was put. */
  readonly md5: () => string;
  /** Takes away what is damaged, so that no other run takes it for good. */
  readonly discard: () => Promise<unknown>;
}

export interface S3TargetOptions {
  readonly client: S3Client;
  readonly source: SourceFiles;
  readonly damageReason: DamageReason;
  readonly counters: Counters;
}

/** Writes objects. */
export class S3TargetFiles implements TargetFiles {
  readonly #client: S3Client;
  readonly #source: SourceFiles;
  readonly #damageReason: DamageReason;
  readonly #counters: Counters;

  constructor({ client, source, damageReason, counters }: S3TargetOptions) {
    this.#client = client;
    this.#source = source;
    this.#damageReason = damageReason;
    this.#counters = counters;
  }

  /** A small file of the source; once more if it is not what was recorded: it may have been damaged on the way. */
  async #read(
    transfer: Transfer,
    file: SmallFile,
    stretch: Stretch,
    isRepeat = false,
  ): Promise<{ readonly bytes: Buffer; readonly digest: Buffer }> {
    using from = await touching('source', stretch.path, () => this.#source.open(file, stretch));
    const bytes = await transfer.readAll(from, stretch);
    const digest = hash('sha256', bytes, 'buffer');
    await assertUnchanged(from, file);
    const damage = damageOf(from.recorded?.(), digest, stretch.path, this.#damageReason);
    if (damage === undefined) return { bytes, digest };
    if (isRepeat) throw damage;
    this.#counters.addRetry(damage.message);
    return this.#read(transfer, file, stretch, true);
  }

  /** True if the object of that name has these bytes, by what its server reports of it. */
  async #holds(file: SmallFile, bytes: Buffer, sha256: string): Promise<boolean> {
    if (file.do !== 'compare' || file.there === undefined) return false;
    if (file.there === hash('md5', bytes)) return true;
    const head = await this.#client.head(fromWire(file.to).toString());
    // An object that was damaged on its way has a correct record.
    const isOther = head?.md5 !== undefined && head.md5 !== hash('md5', bytes);
    return !isOther && head?.metadata[SHA256] === sha256 && head.size === file.size;
  }

  /** Sends until the server has what was sent, as far as it reports. */
  async #send({ put, md5, discard }: Sending, path: () => string): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      const there = await touching('target', path, put);
      const sentDigest = md5();
      if (there === undefined || there === sentDigest) return;
      const message = `target ${path()} does not hold what was written to it: its MD5 is ${there}, not ${sentDigest}`;
      if (attempt < ATTEMPTS && !this.#counters.isStopped) {
        this.#counters.addRetry(message);
        continue;
      }
      // The next run checks the ETag, too, if this one may not delete.
      await discard().catch(() => {});
      throw new MoveError('VerificationFailed', message, path());
    }
  }

  async small({ transfer }: Lane, file: SmallFile, stretch: Stretch): Promise<Outcome> {
    const { bytes, digest } = await this.#read(transfer, file, stretch);
    const sha256 = digest.toString('hex');
    const key = fromWire(file.to).toString();
    const isThere = await touching('target', stretch.path, () => this.#holds(file, bytes, sha256));
    if (isThere) this.#counters.addKept(file.size);
    else {
      const put = () => this.#client.put(key, bytes, sha256, { [SHA256]: sha256 });
      const discard = () => this.#client.remove(key);
      await this.#send({ put, md5: () => hash('md5', bytes), discard }, stretch.path);
      this.#counters.addCopied(file.size);
    }
    return { digest: toWire(digest), copied: !isThere, differs: false };
  }

  async piece({ transfer }: Lane, job: PieceJob, stretch: Stretch): Promise<Outcome> {
    const { key, uploadId, note }: UploadAddress = JSON.parse(fromWire(job.to).toString());
    const number = job.piece.index + 1;
    const source = this.#source;
    let md5 = '';
    const body = async function* (): AsyncGenerator<Buffer> {
      const sum = createHash('md5');
      using from = await touching('source', stretch.path, () => source.open(job, stretch));
      for await (const bytes of transfer.read(from, stretch)) {
        sum.update(bytes);
        yield bytes;
      }
      await assertUnchanged(from, job);
      md5 = sum.digest('hex');
    };
    const payload =
      job.notedDigest === undefined ? undefined : fromWire(job.notedDigest).toString('hex');
    const part = { uploadId, number, length: stretch.length };
    const { uploads } = this.#client;
    const put = () => uploads.putPart(key, part, body, payload);
    const discard = async (): Promise<void> => {
      await this.#client.remove(note);
      await uploads.abort(key, uploadId);
    };
    await this.#send({ put, md5: () => md5, discard }, stretch.path);
    this.#counters.addCopied(stretch.length);
    return { digest: '', copied: true, differs: false };
  }

  [Symbol.dispose](): void {
    this.#client[Symbol.dispose]();
  }
}
