import type { JsonValue } from '@perigee/schema/json';

export interface PeerRequest {
  readonly method: string;
  readonly path: string;
  readonly contentType?: string;
  readonly body?: string;
}

export interface Answer {
  readonly status: number;
  readonly warnings: readonly string[];
  readonly body: JsonValue;
}

/** The events of a watch as they come. */
export interface Watching extends AsyncDisposable {
  /** Resolves with all events so far once one of them fulfils the condition. */
  until(isLast: (event: JsonValue) => boolean): Promise<readonly JsonValue[]>;
}

/** A server that takes part in the comparison. */
export interface Peer extends AsyncDisposable {
  readonly name: string;
  send(request: PeerRequest): Promise<Answer>;
  /** Resolves when the server has begun the watch. */
  watch(path: string): Promise<Watching>;
}
