import type { Texts } from '../frame/language.tsx';

const en = {
  type: 'Type',
  make: 'New payment method',
  isOffered: 'New orders may name it',
  delete: 'Delete',
  sureToDelete: (name: string) => `Delete the payment method ${name}?`,
  deleteMeans: 'One that has payments is kept: disable it. This cannot be undone here.',
  deleted: 'It was deleted.',
  allMethods: 'All payment methods',
  offered: 'new orders may name it',
  notOffered: 'disabled',
  enable: 'Enable',
  disable: 'Disable',
};

const es: typeof en = {
  type: 'Tipo',
  make: 'Nuevo medio de pago',
  isOffered: 'Los pedidos nuevos pueden usarlo',
  delete: 'Eliminar',
  sureToDelete: (name) => `¿Eliminar el medio de pago ${name}?`,
  deleteMeans: 'Uno que tiene pagos se conserva: desactívelo. Aquí no se puede deshacer.',
  deleted: 'Se eliminó.',
  allMethods: 'Todos los medios de pago',
  offered: 'los pedidos nuevos pueden usarlo',
  notOffered: 'desactivado',
  enable: 'Activar',
  disable: 'Desactivar',
};

/** The texts of payment methods. */
export const paymentMethodTexts: Texts<typeof en> = { en, es };
