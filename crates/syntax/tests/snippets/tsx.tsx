import React from 'react';
export const Page = ({ title }: Props) => <Layout title={title}><Header.Main /><p>{format(title)}</p></Layout>;
export function Button(): JSX.Element { return <button onClick={() => click()} />; }
