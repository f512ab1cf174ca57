/** A choice of the demo menu: its options are `[name, price]`. */
export interface DemoChoice {
  name: string;
  min: number;
  max: number;
  options: readonly (readonly [name: string, price: number])[];
}

/** A product of the demo menu. */
export interface DemoProduct {
  sku: string;
  name: string;
  description: string;
  price: number;
  stock?: number;
  choices?: readonly DemoChoice[];
}

/** A category of the demo menu. */
export interface DemoCategory {
  externalId: string;
  name: string;
  products: readonly DemoProduct[];
}

const milk: DemoChoice = {
  name: 'Milk',
  min: 1,
  max: 1,
  options: [
    ['Whole', 0],
    ['Skimmed', 0],
    ['Oat', 35],
    ['Almond', 40],
  ],
};
const cooking: DemoChoice = {
  name: 'How do you like it?',
  min: 1,
  max: 1,
  options: [
    ['Rare', 0],
    ['Medium', 0],
    ['Well done', 0],
  ],
};
const sides: DemoChoice = {
  name: 'Sides',
  min: 0,
  max: 2,
  options: [
    ['French fries', 120],
    ['Green salad', 110],
    ['Roast pumpkin', 130],
    ['Extra cheese', 60],
  ],
};
const scoops: DemoChoice = {
  name: 'Flavours',
  min: 2,
  max: 2,
  options: [
    ['Dulce de leche', 0],
    ['Chocolate', 0],
    ['Lemon', 0],
    ['Strawberry', 0],
  ],
};

const product = (
  sku: string,
  name: string,
  price: number,
  description: string,
  more: Partial<DemoProduct> = {},
) => ({
  sku,
  name,
  price,
  description,
  ...more,
});

/** The menu of the demo restaurant, in the order in which a guest reads it. */
export const menu: readonly DemoCategory[] = [
  {
    externalId: 'starters',
    name: 'Starters',
    products: [
      product('ST-01', 'Provoleta', 290, 'Grilled provolone with oregano and chilli'),
      product('ST-02', 'Beef empanadas (3)', 240, 'Hand-cut beef, olive, egg', { stock: 40 }),
      product('ST-03', 'Cheese and onion empanadas (3)', 220, 'Mozzarella, slow onions', { stock: 36 }),
      product('ST-04', 'Fried squid', 360, 'With lemon and aioli'),
      product('ST-05', 'Burrata and tomato', 390, 'Heirloom tomatoes, basil oil', { stock: 12 }),
      product('ST-06', 'Bread basket', 95, 'Sourdough, grissini, butter'),
    ],
  },
  {
    externalId: 'grill',
    name: 'From the grill',
    products: [
      product('GR-01', 'Rib eye 350 g', 890, 'Grass-fed, chimichurri', {
        stock: 18,
        choices: [cooking, sides],
      }),
      product('GR-02', 'Flank steak 300 g', 720, 'With criolla sauce', {
        stock: 20,
        choices: [cooking, sides],
      }),
      product('GR-03', 'Half chicken', 560, 'Lemon and thyme', { choices: [sides] }),
      product('GR-04', 'Pork shoulder', 610, 'Eight hours over wood', { stock: 4, choices: [sides] }),
      product('GR-05', 'Chorizo sandwich', 280, 'Choripán with salsa criolla'),
      product('GR-06', 'Grilled vegetables', 420, 'Aubergine, pepper, pumpkin, hummus'),
      product('GR-07', 'House burger', 480, '180 g, cheddar, pickles', { choices: [cooking, sides] }),
    ],
  },
  {
    externalId: 'pasta',
    name: 'Fresh pasta',
    products: [
      product('PA-01', 'Pumpkin ravioli', 460, 'Sage butter, parmesan'),
      product('PA-02', 'Tagliatelle bolognese', 440, 'Six-hour ragù'),
      product('PA-03', 'Gnocchi al pesto', 420, 'Potato gnocchi, basil, pine nuts'),
      product('PA-04', 'Spaghetti carbonara', 450, 'Guanciale, pecorino, yolk'),
      product('PA-05', 'Seafood linguine', 590, 'Squid, prawns, tomato', { stock: 10 }),
      product('PA-06', 'Lasagne', 470, 'Of the day', { stock: 8 }),
    ],
  },
  {
    externalId: 'pizza',
    name: 'Pizza',
    products: [
      product('PZ-01', 'Margherita', 380, 'Fior di latte, basil'),
      product('PZ-02', 'Fugazzeta', 420, 'Onion, mozzarella, no tomato'),
      product('PZ-03', 'Napolitana', 410, 'Fresh tomato, garlic, oregano'),
      product('PZ-04', 'Prosciutto and rocket', 490, 'Parma ham, rocket, parmesan'),
      product('PZ-05', 'Four cheeses', 470, 'Mozzarella, blue, provolone, parmesan'),
      product('PZ-06', 'Fainá slice', 80, 'Chickpea flatbread'),
    ],
  },
  {
    externalId: 'desserts',
    name: 'Desserts',
    products: [
      product('DE-01', 'Flan with dulce de leche', 210, 'The one from home', { stock: 24 }),
      product('DE-02', 'Chajá', 240, 'Peach, meringue, cream', { stock: 3 }),
      product('DE-03', 'Ice cream, two scoops', 190, 'From the parlour next door', { choices: [scoops] }),
      product('DE-04', 'Chocolate volcano', 260, 'Warm, with vanilla ice cream'),
      product('DE-05', 'Cheese and quince', 180, 'Martín Fierro'),
      product('DE-06', 'Fruit salad', 160, 'Of the season'),
    ],
  },
  {
    externalId: 'drinks',
    name: 'Drinks',
    products: [
      product('DR-01', 'Flat white', 170, 'Double shot', { stock: 24, choices: [milk] }),
      product('DR-02', 'Espresso', 120, 'House blend'),
      product('DR-03', 'Still water 500 ml', 90, 'Bottle', { stock: 120 }),
      product('DR-04', 'Sparkling water 500 ml', 90, 'Bottle', { stock: 96 }),
      product('DR-05', 'Grapefruit soda', 130, 'Can', { stock: 60 }),
      product('DR-06', 'Lager pint', 210, 'On tap'),
      product('DR-07', 'IPA pint', 240, 'On tap'),
      product('DR-08', 'Tannat, glass', 260, 'Canelones'),
      product('DR-09', 'Medio y medio', 220, 'Half still, half sparkling'),
    ],
  },
];
