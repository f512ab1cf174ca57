import type { Texts } from '../frame/language.tsx';

const en = {
  edit: 'Edit the order',
  means: 'A line with 0 is taken off. Lines that stay keep their price; new ones take that of now.',
  quantity: (line: string) => `${line}: how many`,
  comment: (line: string) => `${line}: comment`,
  product: 'Add a product',
};

const es: typeof en = {
  edit: 'Editar el pedido',
  means: 'Una línea con 0 se quita. Las que quedan mantienen su precio; las nuevas toman el de ahora.',
  quantity: (line) => `${line}: cuántos`,
  comment: (line) => `${line}: comentario`,
  product: 'Agregar un producto',
};

/** The words for editing an order. */
export const orderEditTexts: Texts<typeof en> = { en, es };
