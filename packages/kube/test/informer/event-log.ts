import type { KubeObject } from '@perigee/api/meta/object-meta';
import type { InformerHandler } from '../../src/informer/informer-handler.ts';
import { objectKey } from '../../src/informer/object-key.ts';

const versionOf = ({ metadata }: KubeObject): string =>
  `${objectKey(metadata)}@${metadata.resourceVersion}`;

/** A handler that writes down what it is told, one line for each call. */
export class EventLog<T extends KubeObject> implements InformerHandler<T> {
  readonly lines: string[] = [];

  onAdd(object: T, { initial }: { readonly initial: boolean }): void {
    this.lines.push(`add ${versionOf(object)}${initial ? ' initial' : ''}`);
  }

  onUpdate(object: T, old: T): void {
    this.lines.push(`update ${versionOf(object)} from ${old.metadata.resourceVersion}`);
  }

  onDelete(object: T, { lastKnown }: { readonly lastKnown: boolean }): void {
    this.lines.push(`delete ${versionOf(object)}${lastKnown ? ' last known' : ''}`);
  }

  /** The lines since the last time. */
  take(): readonly string[] {
    return this.lines.splice(0);
  }
}
