import type { ReadPodLog } from '@perigee/kube/client/pod-logs';

/** Whoever runs the pods of a cluster, if anybody does: they tell what containers wrote. */
export class PodLogSource {
  #read: ReadPodLog | undefined;

  /** Absent while nobody runs pods. */
  get read(): ReadPodLog | undefined {
    return this.#read;
  }

  /** Asks them from now on, until the result is disposed. */
  serve(read: ReadPodLog): Disposable {
    this.#read = read;
    return {
      [Symbol.dispose]: () => {
        if (this.#read === read) this.#read = undefined;
      },
    };
  }
}
