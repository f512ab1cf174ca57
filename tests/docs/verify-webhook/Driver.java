class Driver {
    public static void main(String[] words) throws Exception {
        byte[] body = System.in.readAllBytes();
        System.out.println(
            Verify.verify(words[1], words[2], words[3], words[4], body, Long.parseLong(words[5])));
    }
}
