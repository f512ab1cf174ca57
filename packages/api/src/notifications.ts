export { createNotifications, type Notifications } from '@comanda/db';
