export interface Workers<T> {
  /** Number of items in work at once. */
  readonly most: number;
  /** The next item, when there is one; nothing when there are no more. */
  readonly take: () => Promise<T | undefined>;
  readonly work: (item: T) => Promise<void>;
}

/**
 * Works on items until there are no more. Only one worker waits at a time, and is joined by another when it has got
 * something: a control plane with hundreds of controllers would else keep thousands that wait.
 */
export const runWorkers = <T>({ most, take, work }: Workers<T>): Promise<void> =>
  new Promise((resolve, reject) => {
    let workers = 0;
    let isWaiting = false;
    const run = async (): Promise<void> => {
      while (!isWaiting) {
        isWaiting = true;
        const item = await take();
        isWaiting = false;
        if (item === undefined) return;
        if (workers < most) start();
        await work(item);
      }
    };
    const start = (): void => {
      workers++;
      run().then(() => {
        workers--;
        if (workers === 0) resolve();
      }, reject);
    };
    start();
  });
