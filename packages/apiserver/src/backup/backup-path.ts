/**
 * Path that serves a backup. A backup holds all keys, so its reader may become anybody: roles name the path as a
 * `nonResourceURL`.
 */
export const BACKUP_PATH = '/perigee/backup';
