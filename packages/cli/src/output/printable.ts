const CONTROLS = /\p{Cc}+/gu;

/** Replaces control characters: text from other users must not control the terminal. */
export const printable = (line: string): string => line.replace(CONTROLS, ' ');
