import { useFormat } from '../frame/format.ts';
import { useTexts } from '../frame/language.tsx';
import { dayTexts } from './texts.ts';
import { useTurnsEnded } from './turn.ts';

/** The turns that ended on a day, with what each collected; nothing where none did. */
export function TurnsEnded({ day }: { day: string }) {
  const texts = useTexts(dayTexts);
  const format = useFormat();
  const { data: turns = [] } = useTurnsEnded(day);
  if (turns.length === 0) return null;
  return (
    <section className="turn" aria-labelledby="turns">
      <h2 id="turns">{texts.turnsEnded}</h2>
      <table>
        <thead>
          <tr>
            {[texts.turnNumber, texts.from, texts.to, texts.orders, texts.collected].map((title) => (
              <th key={title} scope="col">
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {turns.map(({ id, batch_number, started_at, ended_at, total_orders, total_collected }) => (
            <tr key={id}>
              <th scope="row">{batch_number}</th>
              <td>{format.time(started_at)}</td>
              <td>{ended_at && format.time(ended_at)}</td>
              <td>{format.quantity(total_orders)}</td>
              <td>{format.money(total_collected)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
