/**
 * Sends a body step by step. While one buffer is on its way the next one is read, and no further: two buffers in turn
 * are enough for whoever reads it.
 */
export const sendBody = async (
  body: AsyncIterable<Buffer>,
  write: (bytes: Buffer) => Promise<void>,
  /** The server has answered already, or is gone. */
  isOver: () => boolean,
): Promise<void> => {
  let writing: Promise<void> | undefined;
  for await (const bytes of body) {
    await writing;
    if (isOver()) return;
    writing = write(bytes);
  }
  await writing;
};
