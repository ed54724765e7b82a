import type { JsonObject } from '@perigee/schema/json';
import { formOf } from '../registry/object-form.ts';
import type { Selection } from '../registry/selection.ts';
import type { Entry, StoreEvent } from '../store/store.ts';
import { subjectOf } from '../store/store-event.ts';
import { bookmarkOf, type Notice, noticeOf, objectOf } from '../watch/watch-event.ts';
import { type Representation, showObject } from './representation.ts';

type Batch = readonly StoreEvent[];

/** Events as lines of JSON, and how many they are. */
export interface Encoded {
  readonly bytes: Buffer;
  readonly events: number;
  /** The size of the objects that were evaluated, including those that the selector excludes. */
  readonly examinedCount: number;
}

/** An encoded batch that several watches may share. */
export interface EncodedForMany extends Encoded {
  /** Number of watches that got the same batch last time: an estimate for this one. */
  readonly crowd: number;
}

/** Number of watches that got a batch. */
interface Crowd {
  readers: number;
}

interface Shared {
  readonly encoded: Encoded;
  readonly crowd: Crowd;
}

/**
 * Encoded batches, by batch and representation. The store passes the same batch to all watches of a table and
 * namespace, so each representation is encoded once for all of them.
 */
const encodingCache = new WeakMap<Batch, Map<string, Shared>>();

const line = (type: string, object: string | Buffer): Buffer[] => [
  Buffer.from(`{"type":"${type}","object":`),
  Buffer.from(object),
  Buffer.from('}\n'),
];

const encodedLines = (lines: readonly (readonly Buffer[])[], examinedCount = 0): Encoded => ({
  bytes: Buffer.concat(lines.flat()),
  events: lines.length,
  examinedCount,
});

const sizeOf = (batch: Batch): number =>
  batch.reduce((sum, event) => sum + subjectOf(event).bytes.length, 0);

/** Writes out the events of one watch as lines of JSON. */
export class WatchEncoder {
  readonly #view: Representation;
  readonly #selection: Selection;
  readonly #now: () => number;
  /** Key that is equal for all watches that get the same bytes. */
  readonly #likeness: string;
  #isFirst = true;
  /** The crowd of the last batch; the batch itself is not kept. */
  #last: Crowd | undefined;

  constructor(view: Representation, selection: Selection, now: () => number) {
    const { resource, format, includeObject } = view;
    const form = format.as === undefined ? '' : `${format.as.kind} ${format.as.version}`;
    this.#view = view;
    this.#selection = selection;
    this.#now = now;
    this.#likeness = [resource.group, resource.version, form, includeObject, selection.text].join();
  }

  initial(entries: readonly Entry[]): Encoded {
    const { read } = formOf(this.#view.resource);
    const { text, matches } = this.#selection;
    const selectedEntries = text === '' ? entries : entries.filter((entry) => matches(read(entry)));
    return encodedLines(selectedEntries.map((entry) => this.#lines({ type: 'ADDED', entry })));
  }

  /** The readers are those of the table and namespace, with any selector. */
  changes(batch: Batch, readers: number): EncodedForMany {
    const encodings = encodingCache.get(batch) ?? new Map<string, Shared>();
    encodingCache.set(batch, encodings);
    const sendsColumns = this.#isFirst && this.#view.format.as?.kind === 'Table';
    const likeness = sendsColumns ? `${this.#likeness} with columns` : this.#likeness;
    const sharedEncoding = encodings.get(likeness) ?? {
      encoded: this.#encode(batch),
      crowd: { readers: 0 },
    };
    encodings.set(likeness, sharedEncoding);
    // Without a last batch: most watches without a selector get the same.
    const crowd = this.#last?.readers ?? (this.#selection.text === '' ? readers : 1);
    if (sharedEncoding.encoded.events > 0) {
      sharedEncoding.crowd.readers++;
      this.#last = sharedEncoding.crowd;
      this.#isFirst = false;
    }
    return { ...sharedEncoding.encoded, crowd };
  }

  bookmark(revision: number, endsInitialEvents: boolean): Encoded {
    const object = bookmarkOf(this.#view.resource, revision, endsInitialEvents);
    // A client that negotiated another form cannot read this one.
    const shownObject = showObject(this.#view, object, this.#isFirst);
    this.#isFirst = false;
    return encodedLines([line('BOOKMARK', JSON.stringify(shownObject))]);
  }

  error(status: JsonObject): Buffer {
    return Buffer.concat(line('ERROR', JSON.stringify(status)));
  }

  #encode(batch: Batch): Encoded {
    const form = formOf(this.#view.resource);
    return encodedLines(
      batch.flatMap((event) => {
        const notice = noticeOf(event, this.#selection, form);
        return notice === undefined ? [] : [this.#lines(notice)];
      }),
      sizeOf(batch),
    );
  }

  #lines(notice: Notice): Buffer[] {
    const form = formOf(this.#view.resource);
    const isPlain = this.#view.format.as === undefined;
    if (isPlain && notice.type !== 'DELETED') {
      return line(notice.type, form.bytesOf(notice.entry));
    }
    const object = objectOf(notice, form);
    const view = { ...this.#view, nowMs: this.#now() };
    const shownObject = showObject(view, object, this.#isFirst);
    this.#isFirst = false;
    return line(notice.type, JSON.stringify(shownObject));
  }
}
