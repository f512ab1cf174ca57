import { useEffect, useState } from 'react';
import { useTexts } from '../frame/language.tsx';
import { editTexts } from './edit-texts.ts';

interface Props {
  /** The name of what is on it. */
  of: string;
  /** Its address, as it is typed. */
  at: string;
}

/** No picture is asked for while its address is being typed. */
const typingMs = 400;

/** The picture at an address, once that is complete; a sentence where there is none. */
export function Picture({ of, at }: Props) {
  const own = useTexts(editTexts);
  const [address, setAddress] = useState(at);
  const [broken, setBroken] = useState<string>();
  useEffect(() => {
    const timer = setTimeout(() => setAddress(at), typingMs);
    return () => clearTimeout(timer);
  }, [at]);
  if (address !== at || !/^https?:\/\/\S+$/.test(at) || !URL.canParse(at)) return null;
  return (
    <p className="picture" aria-live="polite">
      {broken === at ? (
        <span className="fault">{own.noPicture}</span>
      ) : (
        <img key={at} src={at} alt={own.pictureOf(of)} onError={() => setBroken(at)} />
      )}
    </p>
  );
}
