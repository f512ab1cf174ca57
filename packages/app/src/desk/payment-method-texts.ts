import type { Texts } from '../frame/language.tsx';

const en = {
  type: 'Type',
  offered: 'new orders may name it',
  notOffered: 'disabled',
  enable: 'Enable',
  disable: 'Disable',
};

const es: typeof en = {
  type: 'Tipo',
  offered: 'los pedidos nuevos pueden usarlo',
  notOffered: 'desactivado',
  enable: 'Activar',
  disable: 'Desactivar',
};

/** The texts of payment methods. */
export const paymentMethodTexts: Texts<typeof en> = { en, es };
