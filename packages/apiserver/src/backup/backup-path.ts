/** Where a backup is had. Who may get it may become anybody: roles name it as a `nonResourceURL`. */
export const BACKUP_PATH = '/perigee/backup';
